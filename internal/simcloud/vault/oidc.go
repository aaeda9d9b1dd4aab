package vault

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// attemptLife is the time limit of a sign-in; it is Vault's own.
const attemptLife = 5 * time.Minute

// OIDC configures the single sign-on of auth/oidc, with one role for everybody.
type OIDC struct {
	Issuer, ClientID, ClientSecret string
	// HTTP reaches the issuer.
	HTTP *http.Client
	// Redirects are the allowed redirect URIs; nil is the usual ones.
	Redirects []string
	// Role is the name of the role, which is also the default; "" is "default".
	Role string
	// Policies are those of the tokens; nil is Engineer.
	Policies []string
}

// defaultRedirects returns the redirect URIs of Vault's own programs.
func defaultRedirects() []string {
	return []string{"http://localhost:8250/oidc/callback", "http://127.0.0.1:8250/oidc/callback"}
}

func (o OIDC) isRedirectAllowed(redirect string) bool {
	allowed := o.Redirects
	if allowed == nil {
		allowed = defaultRedirects()
	}
	return slices.Contains(allowed, redirect)
}

func (o OIDC) has(role string) bool {
	return role == "" || role == o.Role || o.Role == "" && role == "default"
}

func (o OIDC) listPolicies() []string {
	if o.Policies == nil {
		return []string{Engineer}
	}
	return o.Policies
}

// oidcLogin signs people in by OpenID Connect.
type oidcLogin struct {
	OIDC
	now      func() time.Time
	tokens   *tokens
	mu       sync.Mutex
	attempts map[string]loginAttempt // pending sign-ins, by state
}

type loginAttempt struct {
	nonce, verifier, redirect, clientNonce string
	ends                                   time.Time
}

func (o OIDC) getProvider(ctx context.Context) (context.Context, *oidc.Provider, error) {
	ctx = oidc.ClientContext(ctx, o.HTTP)
	provider, err := oidc.NewProvider(ctx, o.Issuer)
	if err != nil {
		return ctx, nil, newAPIError(http.StatusBadRequest, "error getting provider for login operation: %v", err)
	}
	return ctx, provider, nil
}

// serveAuthURL begins a sign-in. As Vault does, it returns an empty link if the redirect is not allowed.
func (l *oidcLogin) serveAuthURL(r request) (reply, error) {
	var body struct {
		Role        string `json:"role"`
		Redirect    string `json:"redirect_uri"`
		ClientNonce string `json:"client_nonce"`
	}
	if err := r.decode(&body); err != nil {
		return reply{}, err
	}
	switch {
	case body.Redirect == "":
		return reply{}, newAPIError(http.StatusBadRequest, "missing redirect_uri")
	case !l.has(body.Role):
		return reply{}, newAPIError(http.StatusBadRequest, "role %q could not be found", body.Role)
	case !l.isRedirectAllowed(body.Redirect):
		return newDataReply("", map[string]any{"auth_url": ""}), nil
	}
	_, provider, err := l.getProvider(r.Context())
	if err != nil {
		return reply{}, err
	}
	state, begun := l.begin(body.Redirect, body.ClientNonce)
	return newDataReply("", map[string]any{"auth_url": l.link(provider, state, begun)}), nil
}

// begin stores an attempt, and removes expired ones.
func (l *oidcLogin) begin(redirect, clientNonce string) (state string, begun loginAttempt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	for known, a := range l.attempts {
		if now.After(a.ends) {
			delete(l.attempts, known)
		}
	}
	state = "st_" + rand.Text()
	begun = loginAttempt{
		nonce: "n_" + rand.Text(), verifier: rand.Text() + rand.Text(), redirect: redirect, clientNonce: clientNonce,
		ends: now.Add(attemptLife),
	}
	l.attempts[state] = begun
	return state, begun
}

func (o OIDC) link(provider *oidc.Provider, state string, begun loginAttempt) string {
	challenge := sha256.Sum256([]byte(begun.verifier))
	query := url.Values{
		"client_id": {o.ClientID}, "response_type": {"code"}, "scope": {"openid"}, "redirect_uri": {begun.redirect},
		"state": {state}, "nonce": {begun.nonce}, "code_challenge_method": {"S256"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])},
	}
	return provider.Endpoint().AuthURL + "?" + query.Encode()
}

// serveCallback completes a sign-in: a state is valid once.
func (l *oidcLogin) serveCallback(r request) (reply, error) {
	query := r.URL.Query()
	l.mu.Lock()
	begun, ok := l.attempts[query.Get("state")]
	delete(l.attempts, query.Get("state"))
	l.mu.Unlock()
	switch {
	case !ok, l.now().After(begun.ends):
		return reply{}, newAPIError(http.StatusBadRequest, "Vault login failed. Expired or missing OAuth state.")
	case begun.clientNonce != query.Get("client_nonce"):
		return reply{}, newAPIError(http.StatusBadRequest, "invalid client_nonce")
	case query.Get("code") == "":
		return reply{}, newAPIError(http.StatusBadRequest, "Vault login failed. No code or id_token received.")
	}
	subject, err := l.exchangeCode(r.Context(), query.Get("code"), begun, l.now)
	if err != nil {
		return reply{}, err
	}
	t, err := l.tokens.create("oidc-"+subject, tokenLife, l.listPolicies()...)
	return l.tokens.newAuthReply(t), err
}

func (o OIDC) exchangeCode(ctx context.Context, code string, begun loginAttempt, now func() time.Time) (subject string, err error) {
	ctx, provider, err := o.getProvider(ctx)
	if err != nil {
		return "", err
	}
	raw, err := o.requestToken(ctx, provider.Endpoint().TokenURL, code, begun)
	if err != nil {
		return "", newAPIError(http.StatusBadRequest, "Vault login failed. Error exchanging oidc code: %v", err)
	}
	identity, err := provider.Verifier(&oidc.Config{ClientID: o.ClientID, Now: now}).Verify(ctx, raw)
	if err != nil {
		return "", newAPIError(http.StatusBadRequest, "Vault login failed. Error validating ID token: %v", err)
	}
	if identity.Nonce != begun.nonce {
		return "", newAPIError(http.StatusBadRequest, "Vault login failed. Error validating ID token: invalid nonce")
	}
	return identity.Subject, nil
}

func (o OIDC) requestToken(ctx context.Context, endpoint, code string, begun loginAttempt) (idToken string, err error) {
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {begun.redirect},
		"client_id": {o.ClientID}, "code_verifier": {begun.verifier},
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if o.ClientSecret != "" {
		r.SetBasicAuth(url.QueryEscape(o.ClientID), url.QueryEscape(o.ClientSecret))
	}
	answer, err := o.HTTP.Do(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }()
	return extractIDToken(answer)
}

func extractIDToken(answer *http.Response) (string, error) {
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxBody))
	if err != nil {
		return "", err
	}
	var content struct {
		IDToken     string `json:"id_token"`
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	if err := json.Unmarshal(body, &content); err != nil || content.IDToken == "" {
		return "", fmt.Errorf("%s: %s %s", answer.Status, content.Error, content.Description)
	}
	return content.IDToken, nil
}
