package syn

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// serveToken is the token endpoint (RFC 6749, 3.2).
func (s *SignOn) serveToken(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	client, ok := s.findClient(r)
	if !ok {
		writeOAuthError(w, http.StatusUnauthorized, "invalid_client", "Invalid client or Invalid client credentials")
		return
	}
	switch r.PostFormValue("grant_type") {
	case "authorization_code":
		s.exchangeCode(w, r, client)
	case "refresh_token":
		s.refresh(w, r, client)
	case deviceGrant:
		s.poll(w, r, client)
	default:
		writeOAuthError(w, http.StatusBadRequest, "unsupported_grant_type", "Unsupported grant_type")
	}
}

func (s *SignOn) exchangeCode(w http.ResponseWriter, r *http.Request, client string) {
	code, ok := s.grants.take(r.PostFormValue("code"), codeGrant, s.getServerTime(r))
	verifier := r.PostFormValue("code_verifier")
	sum := sha256.Sum256([]byte(verifier))
	switch {
	case !ok || code.Client != client:
		writeOAuthError(w, http.StatusBadRequest, "invalid_grant", "Code not valid")
	case code.Redirect != r.PostFormValue("redirect_uri"):
		writeOAuthError(w, http.StatusBadRequest, "invalid_grant", "Incorrect redirect_uri")
	case code.Challenge != "" && verifier == "":
		writeOAuthError(w, http.StatusBadRequest, "invalid_grant", "PKCE code verifier not specified")
	case code.Challenge != "" && code.Challenge != base64.RawURLEncoding.EncodeToString(sum[:]):
		writeOAuthError(w, http.StatusBadRequest, "invalid_grant", "PKCE verification failed: Code mismatch")
	default:
		s.issueTokens(w, r, code)
	}
}

// refresh: a refresh token is valid once.
func (s *SignOn) refresh(w http.ResponseWriter, r *http.Request, client string) {
	var claims jwt.Claims
	shared, err := s.keys.getSharedKey(refreshKey)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	parsed, err := jwt.ParseSigned(r.PostFormValue("refresh_token"), []jose.SignatureAlgorithm{jose.HS512})
	if err != nil || parsed.Claims(shared, &claims) != nil {
		writeOAuthError(w, http.StatusBadRequest, "invalid_grant", "Invalid refresh token")
		return
	}
	kept, ok := s.grants.take(claims.ID, freshGrant, s.getServerTime(r))
	if !ok || kept.Client != client {
		writeOAuthError(w, http.StatusBadRequest, "invalid_grant", "Token is not active")
		return
	}
	s.issueTokens(w, r, kept)
}

// issueTokens writes an ID token, an access token and a refresh token.
func (s *SignOn) issueTokens(w http.ResponseWriter, r *http.Request, g grant) {
	now := s.getServerTime(r)
	fresh, err := s.grants.save(grant{Kind: freshGrant, Client: g.Client, Nonce: g.Nonce, Until: now.Add(refreshTokenLife)})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	reply := map[string]any{
		"token_type": "Bearer", "expires_in": int(idTokenLife / time.Second), "refresh_expires_in": int(refreshTokenLife / time.Second),
		"not-before-policy": 0, "session_state": fresh.ID, "scope": "openid email profile",
	}
	for name, claims := range map[string]map[string]any{
		"id_token":      buildIDClaims(g, now),
		"access_token":  buildAccessClaims(g.Client, now),
		"refresh_token": {"iss": issuer, "aud": issuer, "sub": subject, "typ": "Refresh", "jti": fresh.ID, "exp": fresh.Until.Unix(), "iat": now.Unix()},
	} {
		algorithm, key := jose.RS256, signOnKey
		if name == "refresh_token" {
			algorithm, key = jose.HS512, refreshKey
		}
		if reply[name], err = s.keys.sign(key, algorithm, claims); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	writeJSON(w, http.StatusOK, reply)
}

const (
	subject = "5b1f0a3c-8f4e-4f0e-9d43-2a6f1f7f6a10" // of the engineer
	email   = "engineer@example.com"
)

func userClaims() map[string]any {
	return map[string]any{
		"sub": subject, "email": email, "email_verified": true, "preferred_username": engineer, "name": "Engin Eer",
		"groups": []string{"engineers"},
	}
}

func buildIDClaims(g grant, now time.Time) map[string]any {
	claims := userClaims()
	claims["iss"], claims["aud"], claims["azp"], claims["typ"] = issuer, g.Client, g.Client, "ID"
	claims["iat"], claims["auth_time"], claims["exp"] = now.Unix(), now.Unix(), now.Add(idTokenLife).Unix()
	if g.Nonce != "" {
		claims["nonce"] = g.Nonce
	}
	return claims
}

func buildAccessClaims(client string, now time.Time) map[string]any {
	return map[string]any{
		"iss": issuer, "aud": "account", "sub": subject, "azp": client, "typ": "Bearer", "iat": now.Unix(),
		"exp": now.Add(idTokenLife).Unix(), "realm_access": map[string]any{"roles": []string{"engineer"}},
	}
}

// verifyToken returns the user of a valid token of the sign-on for that audience.
func (s *SignOn) verifyToken(token, audience string, now time.Time) (string, bool) {
	parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		return "", false
	}
	key, err := s.keys.ensureSigner(signOnKey)
	if err != nil {
		return "", false
	}
	var claims jwt.Claims
	if err := parsed.Claims(key.Public(), &claims); err != nil {
		return "", false
	}
	wanted := jwt.Expected{Issuer: issuer, AnyAudience: jwt.Audience{audience}, Time: now}
	return claims.Subject, claims.ValidateWithLeeway(wanted, 0) == nil
}

// verifyIDToken returns the user of a sign-in at Lieutenant. It accepts ID tokens, not access tokens.
func (s *SignOn) verifyIDToken(token, remote string) (user string, ok bool) {
	_, ok = s.verifyToken(token, lieutenantClient, s.serverTime(parseRemote(remote)))
	return email, ok
}

func (s *SignOn) serveUserInfo(w http.ResponseWriter, r *http.Request) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if _, ok := s.verifyToken(token, "account", s.getServerTime(r)); !ok || !strings.EqualFold(scheme, "Bearer") {
		w.Header().Set("WWW-Authenticate", `Bearer realm="simulated", error="invalid_token"`)
		writeOAuthError(w, http.StatusUnauthorized, "invalid_token", "Token verification failed")
		return
	}
	writeJSON(w, http.StatusOK, userClaims())
}
