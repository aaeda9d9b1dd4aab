package vault

import (
	"crypto/rand"
	"net/http"
	"slices"
	"time"
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

// CreateToken returns a new token with these policies, e.g. Engineer, as an operator with all permissions would create it.
func (v *Vault) CreateToken(policies ...string) (string, error) {
	t, err := v.createToken("token", tokenLife, policies...)
	return t.ID, err
}

func (v *Vault) createToken(name string, life time.Duration, policies ...string) (token, error) {
	now := v.config.Now()
	t := token{
		ID: "hvs." + rand.Text(), Accessor: rand.Text(), Name: name,
		Policies: append([]string{"default"}, policies...), Created: now, Expires: now.Add(life),
	}
	return t, v.tokens.Put(t.ID, t)
}

func (v *Vault) authenticate(r request) (token, error) {
	given := r.getToken()
	if given == "" {
		return token{}, errDenied
	}
	if policies, ok := v.config.Tokens[given]; ok {
		return token{ID: given, Accessor: "given", Name: "token", Policies: append([]string{"default"}, policies...)}, nil
	}
	t, ok := v.tokens.Get(given)
	if !ok || !t.Expires.IsZero() && !v.config.Now().Before(t.Expires) {
		return token{}, errToken
	}
	return t, nil
}

// computeTTL returns a token's remaining seconds; 0 is unlimited.
func (v *Vault) computeTTL(t token) int {
	if t.Expires.IsZero() {
		return 0
	}
	return int(t.Expires.Sub(v.config.Now()).Seconds())
}

func (v *Vault) serveToken(r request) (reply, error) {
	switch {
	case r.is(http.MethodGet, "auth/token/lookup-self"), r.is(http.MethodPost, "auth/token/lookup-self"):
		return newDataReply("token", v.lookup(r.token)), nil
	case r.is(http.MethodPost, "auth/token/renew-self"):
		return v.renewToken(r.token)
	case r.is(http.MethodPost, "auth/token/revoke-self"):
		return reply{}, v.tokens.Delete(r.token.ID)
	case slices.Contains(r.token.Policies, root):
		return reply{}, newNoRoute(r.path)
	}
	return reply{}, errDenied
}

func (v *Vault) lookup(t token) map[string]any {
	var expires any
	if !t.Expires.IsZero() {
		expires = formatTime(t.Expires)
	}
	return map[string]any{
		"id": t.ID, "accessor": t.Accessor, "display_name": t.Name, "policies": t.Policies, "ttl": v.computeTTL(t),
		"creation_time": t.Created.Unix(), "creation_ttl": int(tokenLife.Seconds()), "expire_time": expires,
		"renewable": expires != nil, "type": "service", "path": "auth/token/create", "orphan": true, "meta": nil, "num_uses": 0,
	}
}

// renewToken extends a token's validity within the limit.
func (v *Vault) renewToken(t token) (reply, error) {
	if t.Expires.IsZero() {
		return reply{}, newAPIError(http.StatusBadRequest, "lease is not renewable")
	}
	t.Expires = v.config.Now().Add(tokenLife)
	if last := t.Created.Add(maxTokenLife); t.Expires.After(last) {
		t.Expires = last
	}
	return v.newAuthReply(t), v.tokens.Put(t.ID, t)
}

func (v *Vault) newAuthReply(t token) reply {
	return reply{status: http.StatusOK, body: newEnvelope("", nil, map[string]any{
		"client_token": t.ID, "accessor": t.Accessor, "policies": t.Policies, "token_policies": t.Policies,
		"lease_duration": v.computeTTL(t), "renewable": true, "token_type": "service", "orphan": true,
		"metadata": map[string]string{"role": t.Name}, "entity_id": "", "mfa_requirement": nil, "num_uses": 0,
	})}
}
