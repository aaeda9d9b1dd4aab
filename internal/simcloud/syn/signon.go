package syn

import (
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"exoshift/internal/network"
)

const (
	// signOnHost is the host of the sign-on. The realm's name is not published.
	signOnHost    = "id.vshn.net"
	realm         = "/realms/simulated"
	issuer        = "https://" + signOnHost + realm
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

// SignOn is the single sign-on. Its lifetimes are those of the wall clock.
type SignOn struct {
	clock      network.Clock                    // of devices' polls
	serverTime func(asker netip.Addr) time.Time // the wall clock for the client
	keys       *keyring

	mu     sync.Mutex // guards the consistency of grants
	grants grants
}

// Handler returns the sign-on's pages and endpoints.
func (s *SignOn) Handler() http.Handler {
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
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		show(w, http.StatusOK, pageData{Title: "Keycloak: sign in"})
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusNotFound, map[string]string{"error": "Unable to find matching target resource method"})
	})
	return mux
}

func discover(w http.ResponseWriter, _ *http.Request) {
	const protocol = "https://" + signOnHost + protocolPath
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

func (s *SignOn) serveCerts(w http.ResponseWriter, _ *http.Request) {
	key, err := s.keys.ensureSigner(signOnKey)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	writeJSON(w, http.StatusOK, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
		{Key: key.Public(), KeyID: signOnKey, Algorithm: string(jose.RS256), Use: "sig"},
	}})
}

// findClient authenticates the client of a request by its secret, if it has one.
func (s *SignOn) findClient(r *http.Request) (name string, ok bool) {
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

// getServerTime returns the sign-on's time for the client.
func (s *SignOn) getServerTime(r *http.Request) time.Time {
	return s.serverTime(parseRemote(r.RemoteAddr))
}

// serveAuthorize serves the sign-in page (OpenID Connect Core, 3.1.2). It never redirects for an unknown client.
func (s *SignOn) serveAuthorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	asked := grant{
		Kind: pageGrant, Client: query.Get("client_id"), Redirect: query.Get("redirect_uri"), State: query.Get("state"),
		Nonce: query.Get("nonce"), Challenge: query.Get("code_challenge"), Until: s.getServerTime(r).Add(signInLife),
	}
	if _, known := listRedirects(asked.Client); !known {
		show(w, http.StatusBadRequest, pageData{Title: "We are sorry...", Text: "Client not found."})
		return
	}
	if !isRegisteredRedirect(asked.Client, asked.Redirect) {
		show(w, http.StatusBadRequest, pageData{Title: "We are sorry...", Text: "Invalid parameter: redirect_uri"})
		return
	}
	method := query.Get("code_challenge_method")
	switch {
	case query.Get("response_type") != "code":
		asked.redirectBack(w, r, url.Values{"error": {"unsupported_response_type"}})
	case !strings.Contains(" "+query.Get("scope")+" ", " openid "):
		asked.redirectBack(w, r, url.Values{"error": {"invalid_scope"}, "error_description": {"Missing openid scope"}})
	case method != "" && method != "S256":
		asked.redirectBack(w, r, url.Values{"error": {"invalid_request"}, "error_description": {"Invalid parameter: code_challenge_method"}})
	case (method == "") != (asked.Challenge == ""):
		asked.redirectBack(w, r, url.Values{"error": {"invalid_request"}, "error_description": {"Missing parameter: code_challenge"}})
	default:
		s.mu.Lock()
		defer s.mu.Unlock()
		kept, err := s.grants.save(asked)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		show(w, http.StatusOK, renderLoginPage(kept.ID, ""))
	}
}

func (g grant) redirectBack(w http.ResponseWriter, r *http.Request, values url.Values) {
	if g.State != "" {
		values.Set("state", g.State)
	}
	values.Set("iss", issuer)
	http.Redirect(w, r, g.Redirect+"?"+values.Encode(), http.StatusFound)
}

func renderLoginPage(session, text string) pageData {
	return pageData{
		Title: "Sign in to your account", Text: text, Password: true,
		Action: realm + "/login-actions/authenticate?" + url.Values{"session_code": {session}}.Encode(),
	}
}

// serveLogin verifies name and password, and redirects the browser with a code.
func (s *SignOn) serveLogin(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	session := r.URL.Query().Get("session_code")
	asked, ok := s.grants.Get(session)
	if !ok || asked.Kind != pageGrant || !s.getServerTime(r).Before(asked.Until) {
		show(w, http.StatusBadRequest, pageData{Title: "We are sorry...", Text: "Action expired. Please start again."})
		return
	}
	if !s.checkPassword(r) {
		show(w, http.StatusOK, renderLoginPage(session, "Invalid username or password."))
		return
	}
	asked.Kind, asked.Until = codeGrant, s.getServerTime(r).Add(codeLife)
	code, err := s.grants.save(asked)
	if err == nil {
		err = s.grants.Delete(session)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	code.redirectBack(w, r, url.Values{"code": {code.ID}, "session_state": {session}})
}

func (s *SignOn) checkPassword(r *http.Request) bool {
	name, secret := s.Account()
	right := subtle.ConstantTimeCompare([]byte(r.PostFormValue("password")), []byte(secret)) == 1
	return secret != "" && right && r.PostFormValue("username") == name
}

// Account returns the name and the password of an engineer.
func (s *SignOn) Account() (name, secret string) {
	secret, err := s.keys.ensureSecretText(password)
	if err != nil {
		return engineer, ""
	}
	return engineer, secret
}
