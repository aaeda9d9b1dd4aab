package vault

import (
	"crypto/rand"
	"net/http"
	"slices"
	"time"

	"exoshift/internal/simcloud/store"
)

// tokenLife is the validity of a token, and maxTokenLife its limit with renewals; both are Vault's own.
const (
	tokenLife    = 768 * time.Hour
	maxTokenLife = 768 * time.Hour
)

type token struct {
	ID       string
	Accessor string
	Policies []string
	Name     string // display name, e.g. "oidc-anna"
	Created  time.Time
	Expires  time.Time // zero: never
}

// isDefault reports whether a token has the policy by which tokens manage themselves.
func (t token) isDefault() bool {
	return slices.Contains(t.Policies, defaultPolicy) || slices.Contains(t.Policies, root)
}

// tokens issues and verifies tokens.
type tokens struct {
	now   func() time.Time
	fixed map[string][]string // tokens without expiry, with their policies
	table *store.Table[token]
}

func (s *tokens) create(name string, life time.Duration, policies ...string) (token, error) {
	now := s.now()
	t := token{
		ID: "hvs." + rand.Text(), Accessor: rand.Text(), Name: name,
		Policies: append([]string{defaultPolicy}, policies...), Created: now, Expires: now.Add(life),
	}
	return t, s.table.Put(t.ID, t)
}

func (s *tokens) authenticate(r request) (token, error) {
	given := r.getToken()
	if given == "" {
		return token{}, errDenied
	}
	if policies, ok := s.fixed[given]; ok {
		return token{ID: given, Accessor: "given", Name: "token", Policies: append([]string{defaultPolicy}, policies...)}, nil
	}
	t, ok := s.table.Get(given)
	if !ok || !t.Expires.IsZero() && !s.now().Before(t.Expires) {
		return token{}, errDenied
	}
	return t, nil
}

// computeTTL returns a token's remaining seconds; 0 is unlimited.
func (s *tokens) computeTTL(t token) int {
	if t.Expires.IsZero() {
		return 0
	}
	return int(t.Expires.Sub(s.now()).Seconds())
}

func (s *tokens) serve(r request) (reply, error) {
	switch {
	case !r.token.isDefault():
		return reply{}, errDenied
	case r.is(http.MethodGet, "auth/token/lookup-self"), r.is(http.MethodPost, "auth/token/lookup-self"):
		return newDataReply("token", s.lookup(r.token)), nil
	case r.is(http.MethodPost, "auth/token/renew-self"):
		return s.renew(r.token)
	case r.is(http.MethodPost, "auth/token/revoke-self"):
		return reply{}, s.table.Delete(r.token.ID)
	case slices.Contains(r.token.Policies, root):
		return reply{}, newNoRoute(r.path)
	}
	return reply{}, errDenied
}

func (s *tokens) lookup(t token) map[string]any {
	var expires any
	if !t.Expires.IsZero() {
		expires = formatTime(t.Expires)
	}
	return map[string]any{
		"id": t.ID, "accessor": t.Accessor, "display_name": t.Name, "policies": t.Policies, "ttl": s.computeTTL(t),
		"creation_time": t.Created.Unix(), "creation_ttl": int(tokenLife.Seconds()), "expire_time": expires,
		"renewable": expires != nil, "type": "service", "path": "auth/token/create", "orphan": true, "meta": nil, "num_uses": 0,
	}
}

// renewToken extends a token's validity within the limit.
func (s *tokens) renew(t token) (reply, error) {
	if t.Expires.IsZero() {
		return reply{}, newAPIError(http.StatusBadRequest, "lease is not renewable")
	}
	t.Expires = s.now().Add(tokenLife)
	if last := t.Created.Add(maxTokenLife); t.Expires.After(last) {
		t.Expires = last
	}
	return s.newAuthReply(t), s.table.Put(t.ID, t)
}

func (s *tokens) newAuthReply(t token) reply {
	return reply{status: http.StatusOK, body: newEnvelope("", nil, map[string]any{
		"client_token": t.ID, "accessor": t.Accessor, "policies": t.Policies, "token_policies": t.Policies,
		"lease_duration": s.computeTTL(t), "renewable": true, "token_type": "service", "orphan": true,
		"metadata": map[string]string{"role": t.Name}, "entity_id": "", "mfa_requirement": nil, "num_uses": 0,
	})}
}
