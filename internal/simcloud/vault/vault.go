// Package vault is a Vault for a simulated zone: a KV store of version 2 behind tokens and policies, sign-in by OpenID Connect
// and by service accounts of Kubernetes. It follows Vault's published API, closely enough for Vault's own client, without other
// engines, namespaces and leases.
package vault

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"exoshift/internal/simcloud/store"
)

// DefaultMount is where the secrets of Project Syn's clusters are mounted.
const DefaultMount = "clusters/kv"

// Config configures a simulated Vault.
type Config struct {
	DB *store.DB
	// Now is the clock of tokens and versions; nil is the wall clock.
	Now func() time.Time
	// Mount of the KV store; "" is DefaultMount.
	Mount string
	// Tokens are tokens without expiry, with their policies.
	Tokens map[string][]string
	// Policies are added to those of every simulated Vault, see Rule.
	Policies map[string][]Rule
	// OIDC is the single sign-on of people; without an issuer there is none.
	OIDC OIDC
	// ServiceAccount verifies the JWT of a cluster's service account; nil refuses every JWT.
	ServiceAccount func(jwt string) (tenant, cluster string, ok bool)
}

// Vault is safe for concurrent use.
type Vault struct {
	*Secrets
	config   Config
	policies policies
	tokens   *tokens
	oidc     *oidcLogin

	mu     sync.Mutex
	sealed bool
}

// New returns a Vault over the state in config.DB, seeded with the secrets that exist before any cluster.
func New(config Config) (*Vault, error) {
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Mount == "" {
		config.Mount = DefaultMount
	}
	secretTable, err := store.Load[secret](config.DB, "vault/secret")
	if err != nil {
		return nil, err
	}
	tokenTable, err := store.Load[token](config.DB, "vault/token")
	if err != nil {
		return nil, err
	}
	v := &Vault{
		Secrets: &Secrets{now: config.Now, table: secretTable}, config: config,
		policies: policies{mount: config.Mount, added: config.Policies},
		tokens:   &tokens{now: config.Now, fixed: config.Tokens, table: tokenTable},
	}
	v.oidc = &oidcLogin{OIDC: config.OIDC, now: config.Now, tokens: v.tokens, attempts: map[string]loginAttempt{}}
	return v, v.createShared()
}

// CreateToken returns a new token with these policies, e.g. Engineer, as an operator with all permissions would create it.
func (v *Vault) CreateToken(policies ...string) (string, error) {
	t, err := v.tokens.create("token", tokenLife, policies...)
	return t.ID, err
}

// CreateBareToken returns a new token without the policy default.
func (v *Vault) CreateBareToken(policies ...string) (string, error) {
	t, err := v.tokens.create("token", tokenLife, policies...)
	if err != nil {
		return "", err
	}
	t.Policies = policies
	return t.ID, v.tokens.table.Put(t.ID, t)
}

func (v *Vault) createShared() error {
	shared := map[string]map[string]string{
		"lbaas/hieradata_repo_token":               {"user": "project_1470_bot", "token": "simulated-hieradata-token"},
		"__shared__/__shared__/opsgenie/aldebaran": {"heartbeat-password": "simulated-heartbeat-password"},
	}
	for path, values := range shared {
		if _, ok := v.table.Get(path); ok {
			continue
		}
		if err := v.Put(path, values); err != nil {
			return err
		}
	}
	return nil
}

// NewHandler serves all requests to Vault's host.
func (v *Vault) NewHandler() http.Handler { return http.HandlerFunc(v.serve) }

// Seal seals the Vault, or unseals it: while it is sealed only its health is served.
func (v *Vault) Seal(sealed bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.sealed = sealed
}

func (v *Vault) isSealed() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.sealed
}

func (v *Vault) serve(w http.ResponseWriter, r *http.Request) {
	req := request{Request: r}
	var ok bool
	if req.path, ok = strings.CutPrefix(r.URL.Path, "/v1/"); !ok {
		servePage(w, r)
		return
	}
	reply, err := v.route(req)
	if err != nil {
		writeError(w, err)
		return
	}
	reply.write(w)
}

// route calls the handler of a request: the endpoints without authentication first.
func (v *Vault) route(r request) (reply, error) {
	switch {
	case r.path == "sys/health":
		return v.serveHealth(r), nil
	case r.is(http.MethodGet, "sys/seal-status"):
		return v.serveSealStatus(), nil
	case v.isSealed():
		return reply{}, errSealed
	case strings.HasPrefix(r.path, "auth/") && !strings.HasPrefix(r.path, "auth/token/"):
		return v.serveLogin(r)
	}
	t, err := v.tokens.authenticate(r)
	if err != nil {
		return reply{}, err
	}
	r.token = t
	switch {
	case strings.HasPrefix(r.path, "auth/token/"):
		return v.tokens.serve(r)
	case strings.HasPrefix(r.path, "sys/"):
		return v.serveSystem(r)
	}
	return v.serveKV(r)
}

func (v *Vault) serveKV(r request) (reply, error) {
	rest, ok := strings.CutPrefix(r.path, v.config.Mount+"/")
	if !ok && !v.policies.isAllowed(r.token, r.path, r.getOperation(false)) {
		return reply{}, errDenied
	}
	if !ok {
		return reply{}, newNoRoute(r.path)
	}
	part, path, _ := strings.Cut(rest, "/")
	_, exists := v.table.Get(path)
	operation := r.getOperation(exists)
	if !v.policies.isAllowed(r.token, r.path, operation) {
		return reply{}, errDenied
	}
	return v.Secrets.serve(r, part, path, operation)
}
