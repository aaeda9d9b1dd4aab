package vault_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

const issuerHost = "id.example.net"

// issuer is a single sign-on that accepts everybody.
type issuer struct {
	t *testing.T

	mu     sync.Mutex
	key    *ecdsa.PrivateKey
	asked  url.Values        // by the last URL
	claims map[string]string // overrides of the right ones
}

// code is what a browser brings back from a URL.
func (i *issuer) code(link string) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	parsed, err := url.Parse(link)
	if err != nil || parsed.Host != issuerHost {
		i.t.Errorf("the person is led to %q", link)
		return ""
	}
	i.asked = parsed.Query()
	return "the-code"
}

func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.key == nil {
		i.key, _ = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	const base = "https://" + issuerHost
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		i.say(w, map[string]any{
			"issuer": base, "authorization_endpoint": base + "/auth", "token_endpoint": base + "/token", "jwks_uri": base + "/certs",
			"id_token_signing_alg_values_supported": []string{"ES256"},
		})
	case "/certs":
		i.say(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: i.key.Public(), KeyID: "1", Algorithm: "ES256", Use: "sig"}}})
	case "/token":
		i.token(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (i *issuer) say(w http.ResponseWriter, value any) {
	if err := json.NewEncoder(w).Encode(value); err != nil {
		i.t.Error(err)
	}
}

// token returns an ID token for the code, to the client that created the URL.
func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	challenge := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if r.PostFormValue("code") != "the-code" || r.PostFormValue("redirect_uri") != i.asked.Get("redirect_uri") ||
		base64.RawURLEncoding.EncodeToString(challenge[:]) != i.asked.Get("code_challenge") {
		w.WriteHeader(http.StatusBadRequest)
		i.say(w, map[string]string{"error": "invalid_grant"})
		return
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: i.key, KeyID: "1"}}, nil)
	if err != nil {
		i.t.Error(err)
		return
	}
	claims := map[string]any{
		"iss": "https://" + issuerHost, "aud": "vault", "sub": "anna", "nonce": i.asked.Get("nonce"),
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix(),
	}
	for name, value := range i.claims {
		claims[name] = value
	}
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		i.t.Error(err)
	}
	i.say(w, map[string]string{"id_token": token, "token_type": "Bearer"})
}
