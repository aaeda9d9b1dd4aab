package syn

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	// SignOnHost is the host of the sign-on. The realm's name is not published.
	SignOnHost    = "id.vshn.net"
	realm         = "/realms/simulated"
	issuer        = "https://" + SignOnHost + realm
	discoveryPath = "/.well-known/openid-configuration"
	protocolPath  = realm + "/protocol/openid-connect"

	lieutenantClient = "lieutenant"
	vaultClient      = "vault"

	// Lifetimes are those of the wall clock.
	idTokenLife      = 5 * time.Minute
	refreshTokenLife = 30 * time.Minute
	codeLife         = time.Minute
	signInLife       = 30 * time.Minute // of a page to sign in
	deviceLife       = 10 * time.Minute
)

// listRedirects returns the exact redirect URIs of a client; false for an unknown client.
func listRedirects(client string) ([]string, bool) {
	uris, known := map[string][]string{
		lieutenantClient: {"http://localhost:18000"},
		vaultClient:      {"http://localhost:8250/oidc/callback", "https://" + vaultHost + "/ui/vault/auth/oidc/oidc/callback"},
	}[client]
	return uris, known
}

// SignOn returns the single sign-on.
func (s *Syn) SignOn() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+realm+discoveryPath, discover)
	mux.HandleFunc("GET "+protocolPath+"/certs", s.serveCerts)
	mux.HandleFunc("GET "+protocolPath+"/auth", s.serveAuthorize)
	mux.HandleFunc("POST "+realm+"/login-actions/authenticate", s.serveLogin)
	mux.HandleFunc("POST "+protocolPath+"/token", s.serveToken)
	mux.HandleFunc("GET "+protocolPath+"/userinfo", s.serveUserInfo)
	mux.HandleFunc("POST "+protocolPath+"/auth/device", s.serveDevice)
	mux.HandleFunc("GET "+realm+"/device", s.serveDevicePage)
	mux.HandleFunc("POST "+realm+"/device", s.serveDevicePage)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { show(w, http.StatusOK, pageData{Title: "Sign in"}) })
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusNotFound, map[string]string{"error": "Unable to find matching target resource method"})
	})
	return mux
}

func discover(w http.ResponseWriter, _ *http.Request) {
	const protocol = "https://" + SignOnHost + protocolPath
	writeJSON(w, http.StatusOK, map[string]any{
		"issuer":                                issuer,
		"authorization_endpoint":                protocol + "/auth",
		"token_endpoint":                        protocol + "/token",
		"userinfo_endpoint":                     protocol + "/userinfo",
		"jwks_uri":                              protocol + "/certs",
		"device_authorization_endpoint":         protocol + "/auth/device",
		"response_types_supported":              []string{"code"},
		"grant_types_supported":                 []string{"authorization_code", "refresh_token", deviceGrant},
		"scopes_supported":                      []string{"openid", "email", "profile"},
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": []string{"RS256"},
		"code_challenge_methods_supported":      []string{"S256"},
		"token_endpoint_auth_methods_supported": []string{"client_secret_basic", "client_secret_post", "none"},
	})
}

func (s *Syn) serveCerts(w http.ResponseWriter, _ *http.Request) {
	key, err := s.ensureSigner(signOnKey)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	writeJSON(w, http.StatusOK, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
		{Key: key.Public(), KeyID: signOnKey, Algorithm: string(jose.RS256), Use: "sig"},
	}})
}

// findClient authenticates the client of a request by its secret, if it has one.
func (s *Syn) findClient(r *http.Request) (name string, ok bool) {
	name, secret, basic := r.BasicAuth()
	if !basic {
		name, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	if _, known := listRedirects(name); !known {
		return name, false
	}
	return name, name == lieutenantClient || secret == vaultSecret
}

// vaultSecret is Vault's client secret at the sign-on, also configured in the simulated Vault.
const vaultSecret = "simulated-vault"

func writeJSON(w http.ResponseWriter, status int, value any) {
	content, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(content) // the client closed the connection
}

// writeOAuthError follows RFC 6749, 5.2.
func writeOAuthError(w http.ResponseWriter, status int, code, text string) {
	writeJSON(w, status, map[string]string{"error": code, "error_description": text})
}

func isRegisteredRedirect(client, uri string) bool {
	uris, _ := listRedirects(client)
	return slices.Contains(uris, uri)
}
