package signin_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"exoshift/internal/network"
	"exoshift/provisioner/syn/signin"
	"exoshift/state"
)

// canary is part of every secret, so that a test finds it where it must not be.
const canary = "canary-7f3a"

// pipes is a listener without sockets, so that a synctest bubble may use it.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return address("example.com:443") }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type address string

func (address) Network() string  { return "tcp" }
func (a address) String() string { return string(a) }

// signOn is a configurable single sign-on.
type signOn struct {
	url     string
	network network.Network
	key     *ecdsa.PrivateKey

	mu            sync.Mutex
	device        bool              // offer the device flow
	configuration map[string]any    // overrides of its metadata
	claims        map[string]any    // overrides of the claims in ID tokens
	answer        map[string]any    // overrides of the token endpoint's response; nil removes a field
	signer        *ecdsa.PrivateKey // another key than the published one
	refusals      []string          // of the token endpoint, before it succeeds: "<status> <error>"
	asked         url.Values        // query of the page
	grants        []url.Values      // requests to the token endpoint
	refresh       string            // the refresh token that it issues
	complete      bool              // return a URL that includes the code
	interval      int
	remote        bool // the person's browser is on another machine
	unable        bool // the device flow is advertised and then refused
}

func newSignOn(t *testing.T) *signOn {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	listener := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	s := &signOn{key: key, refresh: canary + "-refresh", interval: 1}
	server := httptest.NewUnstartedServer(s.handler())
	_ = server.Listener.Close()
	server.Listener = listener
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	s.url, s.network = "https://example.com", network.Network{Dial: listener.dial, Roots: roots}
	return s
}

func (s *signOn) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", s.discover)
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: s.key.Public(), KeyID: "one", Algorithm: "ES256", Use: "sig"}}})
	})
	mux.HandleFunc("GET /strange", func(w http.ResponseWriter, r *http.Request) {
		status, _ := strconv.Atoi(r.URL.Query().Get("status"))
		w.Header().Set("Location", s.url+"/.well-known/openid-configuration")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, r.URL.Query().Get("body"))
	})
	mux.HandleFunc("POST /token", s.token)
	mux.HandleFunc("POST /device", s.offer)
	return mux
}

func (s *signOn) discover(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := map[string]any{
		"issuer": s.url, "authorization_endpoint": s.url + "/page", "token_endpoint": s.url + "/token", "jwks_uri": s.url + "/keys",
		"id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"},
	}
	if s.device {
		found["device_authorization_endpoint"] = s.url + "/device"
	}
	maps.Copy(found, s.configuration)
	reply(w, http.StatusOK, found)
}

func (s *signOn) offer(w http.ResponseWriter, _ *http.Request) {
	if s.unable {
		reply(w, http.StatusBadRequest, map[string]string{"error": "unauthorized_client", "error_description": "not for this client"})
		return
	}
	found := map[string]any{
		"device_code": canary + "-device", "user_code": "ABCD-EFGH", "verification_uri": s.url + "/enter", "expires_in": 60, "interval": s.interval,
	}
	if s.complete {
		found["verification_uri_complete"] = s.url + "/enter?c=ABCD-EFGH"
	}
	reply(w, http.StatusOK, found)
}

// token implements RFC 6749, and verifies that the code belongs to the client that requested it (RFC 7636).
func (s *signOn) token(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = r.ParseForm()
	s.grants = append(s.grants, r.PostForm)
	proof := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	challenge := base64.RawURLEncoding.EncodeToString(proof[:])
	switch {
	case len(s.refusals) > 0:
		status, code := http.StatusBadRequest, s.refusals[0]
		if code == "503" {
			status = http.StatusServiceUnavailable
		}
		s.refusals = s.refusals[1:]
		reply(w, status, map[string]string{"error": code, "error_description": "you sent " + r.PostForm.Encode() + "\x1b[31m"})
		return
	case r.PostForm.Get("client_id") != "lieutenant",
		r.PostForm.Get("grant_type") == "authorization_code" && (challenge != s.asked.Get("code_challenge") || r.PostForm.Get("code") != canary+"-code"):
		reply(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
		return
	}
	answer := map[string]any{
		"access_token": canary + "-access", "token_type": "Bearer", "expires_in": 300, "refresh_token": s.refresh,
		"refresh_expires_in": 1800, "id_token": s.idToken(s.asked.Get("nonce")), "session_state": "s-1",
	}
	for field, value := range s.answer {
		answer[field] = value
		if value == nil {
			delete(answer, field)
		}
	}
	reply(w, http.StatusOK, answer)
}

func (s *signOn) idToken(nonce string) string {
	claims := map[string]any{
		"iss": s.url, "aud": "lieutenant", "sub": "someone", "iat": time.Now().Unix(), "exp": time.Now().Add(5 * time.Minute).Unix(), "nonce": nonce,
	}
	maps.Copy(claims, s.claims)
	key := s.key
	if s.signer != nil {
		key = s.signer
	}
	return signed(key, claims)
}

func signed(key *ecdsa.PrivateKey, claims map[string]any) string {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: "one"}}, nil)
	if err != nil {
		return err.Error()
	}
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		return err.Error()
	}
	return token
}

// jsonWebToken returns a foreign token that expires after a while.
func jsonWebToken(t *testing.T, life time.Duration) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return signed(key, map[string]any{"exp": time.Now().Add(life).Unix(), "sub": canary})
}

func reply(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// options are those of a source whose API names this single sign-on, without a browser.
func (s *signOn) options() signin.Options {
	return signin.Options{
		Network: s.network, API: "https://api.example.net",
		Services: func(context.Context) (state.SynServices, error) {
			return state.SynServices{DiscoveryURL: s.url + "/.well-known/openid-configuration", ClientID: "lieutenant"}, nil
		},
	}
}

func (s *signOn) grantTypes() (types []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, grant := range s.grants {
		types = append(types, grant.Get("grant_type"))
	}
	return types
}
