package registry

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"time"

	"exoshift/internal/simcloud/server"
)

const tokenLife = 5 * time.Minute

// Tokens is a registry's token service. A token contains one repository and a signature.
type Tokens struct {
	config Config
	key    []byte
}

// newTokens generates a key; tokens of another service are invalid for its registry.
func newTokens(house Config) (Tokens, error) {
	key := make([]byte, sha256.Size)
	if _, err := rand.Read(key); err != nil {
		return Tokens{}, fmt.Errorf("make the key of %s: %w", house.Host, err)
	}
	return Tokens{config: house, key: key}, nil
}

// ServeHTTP issues a token for a repository, or for none. Any credentials count as an account: pull secrets are not verified
// here.
func (s Tokens) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	repository := ""
	if scope := strings.Split(r.URL.Query().Get("scope"), ":"); len(scope) == 3 && scope[0] == "repository" {
		repository = scope[1]
	}
	user, password, _ := r.BasicAuth()
	if s.requiresAccount(repository) && (user == "" || password == "") {
		writeError(w, http.StatusUnauthorized, "UNAUTHORIZED", "Invalid Username or Password")
		return
	}
	token := s.signToken(repository)
	server.WriteJSON(w, http.StatusOK, map[string]any{
		"token": token, "access_token": token, "expires_in": int(tokenLife.Seconds()), "issued_at": time.Now().UTC().Format(time.RFC3339),
	})
}

func (s Tokens) requiresAccount(repository string) bool {
	return s.config.RequireAccount != nil && s.config.RequireAccount(repository)
}

func (s Tokens) signToken(repository string) string {
	content := base64.RawURLEncoding.EncodeToString([]byte(repository))
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(content))
	return content + "." + hex.EncodeToString(mac.Sum(nil))
}

func (s Tokens) open(authorization, repository string) bool {
	return hmac.Equal([]byte(authorization), []byte("Bearer "+s.signToken(repository)))
}

// valid reports whether an Authorization header has any token of this service.
func (s Tokens) valid(authorization string) bool {
	content, _, _ := strings.Cut(strings.TrimPrefix(authorization, "Bearer "), ".")
	repository, err := base64.RawURLEncoding.DecodeString(content)
	return err == nil && s.open(authorization, string(repository))
}
