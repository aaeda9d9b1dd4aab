package vault_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/hashicorp/vault/api"

	"exoshift/internal/simcloud/vault"
)

const redirect = "http://localhost:8250/oidc/callback"

// signOn serves the metadata of a single sign-on that issues no tokens.
func signOn(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"issuer":%q,"authorization_endpoint":"%[1]s/auth","token_endpoint":"%[1]s/token","jwks_uri":"%[1]s/certs"}`, server.URL)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprint(w, `{"error":"invalid_grant","error_description":"Code not valid"}`)
	})
	return server.URL
}

// desk is Vault's own client of a Vault with a single sign-on.
func desk(t *testing.T, now *time.Time) *api.Logical {
	t.Helper()
	_, address := start(t, vault.Config{
		Now:  func() time.Time { return *now },
		OIDC: vault.OIDC{Issuer: signOn(t), ClientID: "vault", HTTP: http.DefaultClient},
	})
	return client(t, address, "").Logical()
}

func authURL(t *testing.T, l *api.Logical, role, redirect string) (*url.URL, error) {
	t.Helper()
	got, err := l.WriteWithContext(t.Context(), "auth/oidc/oidc/auth_url",
		map[string]any{"role": role, "redirect_uri": redirect, "client_nonce": "ours"})
	if err != nil {
		return nil, err
	}
	link, err := url.Parse(got.Data["auth_url"].(string))
	if err != nil {
		t.Fatal(err)
	}
	return link, nil
}

func callback(t *testing.T, l *api.Logical, state, code, nonce string) error {
	t.Helper()
	_, err := l.ReadWithDataWithContext(t.Context(), "auth/oidc/oidc/callback",
		map[string][]string{"state": {state}, "code": {code}, "client_nonce": {nonce}})
	return err
}

func TestOIDC_AuthURL(t *testing.T) {
	now := time.Now()
	link, err := authURL(t, desk(t, &now), "default", redirect)
	if err != nil {
		t.Fatal(err)
	}
	query := link.Query()
	if link.Path != "/auth" || query.Get("redirect_uri") != redirect || query.Get("client_id") != "vault" || query.Get("code_challenge_method") != "S256" {
		t.Errorf("got %s", link)
	}
	for _, name := range []string{"state", "nonce", "code_challenge"} {
		if query.Get(name) == "" {
			t.Errorf("no %s in %s", name, link)
		}
	}
}

func TestOIDC_AllowedRedirectsOnly(t *testing.T) {
	now := time.Now()
	l := desk(t, &now)
	for _, wrong := range []string{"https://evil.example.net/", "http://localhost:8250/", redirect + "/", "http://localhost:9999/oidc/callback"} {
		link, err := authURL(t, l, "", wrong)
		if err != nil || link.String() != "" {
			t.Errorf("%s: %v, %v", wrong, link, err)
		}
	}
	_, err := authURL(t, l, "", "")
	refused(t, err, 400, "missing redirect_uri")
	_, err = authURL(t, l, "admin", redirect)
	refused(t, err, 400, `role "admin" could not be found`)
}

func TestOIDC_StateUsedOnce(t *testing.T) {
	const lost = "Vault login failed. Expired or missing OAuth state."
	now := time.Now()
	l := desk(t, &now)
	state := func() string {
		link, err := authURL(t, l, "", redirect)
		if err != nil {
			t.Fatal(err)
		}
		return link.Query().Get("state")
	}
	refused(t, callback(t, l, "guessed", "code", "ours"), 400, lost)
	refused(t, callback(t, l, state(), "code", "theirs"), 400, "invalid client_nonce")
	refused(t, callback(t, l, state(), "", "ours"), 400, "Vault login failed. No code or id_token received.")
	used := state()
	refused(t, callback(t, l, used, "code", "ours"), 400,
		"Vault login failed. Error exchanging oidc code: 400 Bad Request: invalid_grant Code not valid")
	refused(t, callback(t, l, used, "code", "ours"), 400, lost)
	late := state()
	now = now.Add(5*time.Minute + time.Second)
	refused(t, callback(t, l, late, "code", "ours"), 400, lost)
}
