package vault_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/site"
	simvault "exoshift/internal/simcloud/vault"
	"exoshift/provisioner/syn/vault"
	"exoshift/state"
)

// file writes a token like Vault's own command.
func file(t *testing.T, token string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), ".vault-token")
	if err := os.WriteFile(path, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// desk simulates a person at a browser, whose machine listens on any port.
type desk struct {
	w        *world
	listener net.Listener
	visits   int
}

func (d *desk) listen() (net.Listener, error) {
	var err error
	d.listener, err = net.Listen("tcp", "127.0.0.1:0")
	return d.listener, err
}

// show simulates a person who signs in: the browser returns with the code and the state of the URL.
func (d *desk) show(ctx context.Context, link string) error {
	d.visits++
	code := d.w.issuer.code(link)
	state := d.w.issuer.asked.Get("state")
	if got := d.w.issuer.asked.Get("redirect_uri"); got != "http://localhost:8250/oidc/callback" {
		d.w.t.Errorf("the browser is to come back to %q", got)
	}
	back := fmt.Sprintf("http://%s/oidc/callback?code=%s&state=%s", d.listener.Addr(), code, state)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, back, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err == nil {
		_ = answer.Body.Close()
	}
	return nil
}

func atDesk(t *testing.T, config simvault.Config, options vault.Options) (*world, *desk) {
	t.Helper()
	d := &desk{}
	options.Listen = d.listen
	d.w = open(t, config, options)
	t.Cleanup(d.w.Close)
	return d.w, d
}

func TestSignIn_OnceByOIDC(t *testing.T) {
	w, d := atDesk(t, simvault.Config{}, vault.Options{Method: "oidc"})
	for range 2 {
		if err := w.SignIn(t.Context(), d.show); err != nil {
			t.Fatal(err)
		}
	}
	if d.visits != 1 {
		t.Errorf("the person was asked %d times", d.visits)
	}
	action, err := w.EnsureSecret(t.Context(), backup, map[string]string{"password": "x"})
	w.wantAction(action, err, state.Created)
}

func TestSignIn_ConcurrentPromptsOnce(t *testing.T) {
	w, d := atDesk(t, simvault.Config{}, vault.Options{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := w.SignIn(t.Context(), d.show); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if d.visits != 1 {
		t.Errorf("the person was asked %d times", d.visits)
	}
}

func TestSignIn_RefusesForeignIdentity(t *testing.T) {
	for claim, value := range map[string]string{"nonce": "stolen", "aud": "somebody", "iss": "https://evil.example.net"} {
		t.Run(claim, func(t *testing.T) {
			w, d := atDesk(t, simvault.Config{}, vault.Options{})
			w.issuer.claims = map[string]string{claim: value}
			err := w.SignIn(t.Context(), d.show)
			w.wantFault(err, fault.Invalid, "Error validating ID token")
			if strings.Contains(err.Error(), w.issuer.asked.Get("state")) || strings.Contains(err.Error(), "the-code") {
				t.Errorf("%v tells the code", err)
			}
		})
	}
}

func TestSignIn_CodeUsedOnceAndRedacted(t *testing.T) {
	const end = "GET /v1/auth/oidc/oidc/callback"
	w, d := atDesk(t, simvault.Config{}, vault.Options{})
	failure := func(accidents ...site.Fault) {
		w.InjectFaults(accidents...)
		err := w.SignIn(t.Context(), d.show)
		w.wantFault(err, fault.Transient)
		if strings.Contains(err.Error(), w.issuer.asked.Get("state")) || strings.Contains(err.Error(), "the-code") {
			t.Errorf("%v tells the code", err)
		}
	}
	failure(site.Fault{Match: end, Respond: refuses(503, "down")})
	ends := 0
	for _, request := range w.Requests() {
		if strings.HasPrefix(request, end) {
			ends++
		}
	}
	if ends != 1 {
		t.Errorf("the code was handed in %d times", ends)
	}
	failure(site.Fault{Match: end}, site.Fault{Match: end}, site.Fault{Match: end}) // net/http repeats it once
}

func TestSignIn_RefusesInvalidURL(t *testing.T) {
	for name, answer := range map[string]string{
		"none":     `{"data":{"auth_url":""}}`,
		"http":     `{"data":{"auth_url":"http://id.example.net/auth?state=a"}}`,
		"script":   `{"data":{"auth_url":"javascript:alert(1)?state=a"}}`,
		"no state": `{"data":{"auth_url":"https://id.example.net/auth"}}`,
		"number":   `{"data":{"auth_url":4}}`,
	} {
		t.Run(name, func(t *testing.T) {
			w, d := atDesk(t, simvault.Config{}, vault.Options{})
			w.InjectFaults(site.Fault{Match: "PUT /v1/auth/oidc/oidc/auth_url", Respond: shows(200, "application/json", answer)})
			w.wantFault(w.SignIn(t.Context(), d.show), fault.Invalid, "sign-in URL")
			if d.visits != 0 {
				t.Error("it was shown")
			}
		})
	}
}

func TestSignIn_WaitsForPerson(t *testing.T) {
	w, _ := atDesk(t, simvault.Config{}, vault.Options{})
	w.wantFault(w.SignIn(t.Context(), nil), fault.Waiting, "VAULT_TOKEN")
}

func TestSignIn_UnknownMethod(t *testing.T) {
	w, d := atDesk(t, simvault.Config{}, vault.Options{Method: "ldap\x1b[31m"})
	w.wantFault(w.SignIn(t.Context(), d.show), fault.Invalid, "ldap", "VAULT_TOKEN")
}

func TestSignIn_NamesOccupiedPort(t *testing.T) {
	w := open(t, simvault.Config{}, vault.Options{Listen: func() (net.Listener, error) { return nil, errors.New("address already in use") }})
	t.Cleanup(w.Close)
	w.wantFault(w.SignIn(t.Context(), func(context.Context, string) error { return nil }), fault.Conflict, "8250")
}

func TestSignIn_PersonCancels(t *testing.T) {
	w, _ := atDesk(t, simvault.Config{}, vault.Options{})
	gaveUp := errors.New("gave up")
	if err := w.SignIn(t.Context(), func(context.Context, string) error { return gaveUp }); !errors.Is(err, gaveUp) {
		t.Errorf("got %v", err)
	}
}

func TestToken_GivenComesFirst(t *testing.T) {
	w, d := atDesk(t, simvault.Config{}, vault.Options{})
	use := func(token, path string) *vault.Client {
		return vault.New(w.Network(), vault.Options{Address: address, Token: token, TokenFile: path, Listen: d.listen})
	}
	if err := use(w.token+"\n", file(t, "nonsense")).SignIn(t.Context(), d.show); err != nil {
		t.Error(err)
	}
	for _, wrong := range []string{"hvs." + canary, "with spaces " + canary, canary + "\x1b"} {
		w.wantFault(use(wrong, file(t, w.token)).SignIn(t.Context(), d.show), fault.Denied, "invalid or has expired", "VAULT_TOKEN")
	}
	if d.visits != 0 {
		t.Errorf("the person was asked %d times", d.visits)
	}
}

func TestToken_VaultFileIsReadOnly(t *testing.T) {
	w, d := atDesk(t, simvault.Config{}, vault.Options{})
	use := func(path string) error {
		return vault.New(w.Network(), vault.Options{Address: address, TokenFile: path, Listen: d.listen}).SignIn(t.Context(), d.show)
	}
	good := file(t, w.token+"\n")
	if err := use(good); err != nil || d.visits != 0 {
		t.Errorf("%v, %d visits", err, d.visits)
	}
	ended := file(t, "hvs.ended")
	for i, path := range []string{ended, file(t, "  \n"), filepath.Join(t.TempDir(), "none")} {
		if err := use(path); err != nil || d.visits != i+1 {
			t.Errorf("%s: %v, %d visits", path, err, d.visits)
		}
	}
	if content, _ := os.ReadFile(ended); string(content) != "hvs.ended" {
		t.Errorf("the file holds %q", content)
	}
	w.wantFault(use(t.TempDir()), fault.Invalid, "read the token")
}

func TestToken_ServiceAccountRole(t *testing.T) {
	account := func(jwt string) (string, string, bool) { return "t-demo", "c-demo", jwt == canary }
	w, d := atDesk(t, simvault.Config{ServiceAccount: account}, vault.Options{})
	use := func(jwt, role string) *vault.Client {
		return vault.New(w.Network(), vault.Options{Address: address, Kubernetes: &vault.Kubernetes{TokenFile: file(t, jwt+"\n"), Role: role, Mount: "auth/lieutenant/"}})
	}
	c := use(canary, "t-demo")
	if err := c.SignIn(t.Context(), d.show); err != nil {
		t.Fatal(err)
	}
	w.put(backup, map[string]string{"password": "x"})
	if _, err := c.GetSecret(t.Context(), backup); err != nil {
		t.Error(err)
	}
	w.wantFault(use(canary, "t-other").SignIn(t.Context(), d.show), fault.Denied, "role t-other")
	w.wantFault(use("forged", "t-demo").SignIn(t.Context(), d.show), fault.Denied, "not valid for the role")
	w.wantFault(use(canary, "nobody").SignIn(t.Context(), d.show), fault.Invalid, "invalid role name")
}

func TestToken_ServiceAccountNamedMountOnly(t *testing.T) {
	account := func(jwt string) (string, string, bool) { return "t-demo", "c-demo", jwt == canary }
	w, d := atDesk(t, simvault.Config{ServiceAccount: account}, vault.Options{})
	at := func(k vault.Kubernetes) error {
		return vault.New(w.Network(), vault.Options{Address: address, Kubernetes: &k}).SignIn(t.Context(), d.show)
	}
	w.wantFault(at(vault.Kubernetes{TokenFile: file(t, canary), Role: "t-demo"}), fault.Denied, "role t-demo at kubernetes", "VAULT_KUBERNETES_MOUNT")
	w.wantFault(at(vault.Kubernetes{TokenFile: file(t, canary), Role: "t-demo", Mount: "../sys"}), fault.Invalid, "../sys", "VAULT_KUBERNETES_MOUNT")
	w.wantFault(at(vault.Kubernetes{TokenFile: "/missing", Role: "t-demo"}), fault.Invalid, "/missing", "VAULT_KUBERNETES_ROLE")
}

func TestToken_ServiceAccountRereadsFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := "first"
		account := func(jwt string) (string, string, bool) { return "t-demo", "c-demo", jwt == now }
		w := open(t, simvault.Config{ServiceAccount: account}, vault.Options{})
		defer time.Sleep(time.Second) // as inWorld does
		defer w.Close()
		where := file(t, now)
		c := vault.New(w.Network(), vault.Options{Address: address, Kubernetes: &vault.Kubernetes{TokenFile: where, Role: "t-demo", Mount: "lieutenant"}})
		if err := c.SignIn(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		now = "second"
		if err := os.WriteFile(where, []byte(now), 0o600); err != nil {
			t.Fatal(err)
		}
		w.pass(800 * time.Hour)
		if err := c.SignIn(t.Context(), nil); err != nil {
			t.Error(err)
		}
	})
}

func TestToken_RenewsWithoutPerson(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.InjectFaults(site.Fault{Match: "GET /v1/auth/token/lookup-self", Respond: shows(200, "application/json", `{"data":{"ttl":300}}`)})
		c := w.as(w.token)
		w.pass(5 * time.Minute)
		before := len(w.Requests())
		if err := c.SignIn(ctx, nil); err != nil {
			t.Fatal(err)
		}
		if got := w.Requests()[before:]; len(got) != 1 || got[0] != "PUT /v1/auth/token/renew-self" {
			t.Errorf("asked %v", got)
		}
		if err := c.SignIn(ctx, nil); err != nil || len(w.Requests()) != before+1 {
			t.Errorf("%v, asked %v", err, w.Requests()[before:])
		}
	})
}

func TestToken_ShortUnrenewableIsUsed(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.InjectFaults(site.Fault{Match: "GET /v1/auth/token/lookup-self", Respond: shows(200, "application/json", `{"data":{"ttl":300}}`)})
		c := w.as(w.token)
		w.InjectFaults(site.Fault{Match: "PUT /v1/auth/token/renew-self", Respond: shows(400, "application/json", `{"errors":["lease is not renewable"]}`)})
		before := len(w.Requests())
		if err := c.SignIn(ctx, nil); err != nil {
			t.Fatal(err)
		}
		if got := w.Requests()[before:]; len(got) != 1 || got[0] != "PUT /v1/auth/token/renew-self" {
			t.Errorf("asked %v", got)
		}
	})
}

func TestToken_RevokedIsNotMissingPolicy(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.put(backup, map[string]string{"password": "x"})
		if _, err := w.GetSecret(ctx, backup); err != nil {
			t.Fatal(err)
		}
		w.request(ctx, http.MethodPost, "/v1/auth/token/revoke-self", "")
		_, err := w.GetSecret(ctx, backup)
		w.wantFault(err, fault.Denied, "has expired or was revoked", "sign in at Vault again")
		_, err = w.GetSecret(ctx, backup)
		w.wantFault(err, fault.Denied, "not signed in")
		w.wantFault(w.SignIn(ctx, nil), fault.Denied, "invalid or has expired")
	})
}

func TestAddress_DiscoveredWhenNeeded(t *testing.T) {
	asked := 0
	services := state.SynServices{Vault: address, VaultMethod: "oidc"}
	w, d := atDesk(t, simvault.Config{}, vault.Options{Services: func(context.Context) (state.SynServices, error) {
		asked++
		return services, nil
	}})
	if asked != 0 {
		t.Error("it was asked too early")
	}
	if err := w.SignIn(t.Context(), d.show); err != nil {
		t.Fatal(err)
	}
	if _, err := w.ListMissing(t.Context(), []state.VaultSecret{{Path: backup, Key: "a"}}); err != nil || asked != 1 {
		t.Errorf("%v, asked %d times", err, asked)
	}
	failed := errors.New("Lieutenant is away")
	c := vault.New(w.Network(), vault.Options{Services: func(context.Context) (state.SynServices, error) { return services, failed }})
	if err := c.SignIn(t.Context(), nil); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
}

func TestClient_PrintsNoSecret(t *testing.T) {
	inWorld(t, func(_ context.Context, w *world) {
		options := vault.Options{Address: address, Token: w.token, Kubernetes: &vault.Kubernetes{TokenFile: "x", Role: "t-demo"}}
		for _, value := range []any{options, &options, *options.Kubernetes, options.Kubernetes, vault.New(w.Network(), options), w.Client} {
			for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
				text := fmt.Sprintf(format, value)
				if strings.Contains(text, w.token) || strings.Contains(text, canary) {
					t.Errorf("%s of %T: %s", format, value, text)
				}
			}
		}
	})
}

func TestClient_ReportsATokenThatMayNotLookItselfUp(t *testing.T) {
	inWorldUnsigned(t, func(ctx context.Context, w *world) {
		token, err := w.vault.CreateBareToken(simvault.Engineer)
		if err != nil {
			t.Fatal(err)
		}
		c := vault.New(w.Network(), vault.Options{Address: address, Token: token})
		w.wantFault(c.SignIn(ctx, nil), fault.Denied, "the token is valid", "has no permission for lookup-self", "auth/token/lookup-self")
	})
}
