package vault_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/site"
	"exoshift/internal/simcloud/store"
	simvault "exoshift/internal/simcloud/vault"
	"exoshift/provisioner/install/syn"
	"exoshift/provisioner/syn/vault"
	"exoshift/state"
)

var _ syn.Vault = (*vault.Client)(nil)

const (
	host     = "vault.example.net"
	address  = "https://" + host
	backup   = "t-demo/c-demo/cluster-backup"
	canary   = "canary-a7f3-secret-value"
	dataPath = "/v1/clusters/kv/data/"
)

// world is a Vault with real TLS and fault injection, and an engineer who has signed in.
type world struct {
	*site.Site
	*vault.Client
	vault  *simvault.Vault
	issuer *issuer
	token  string
	t      *testing.T
}

func (w *world) Close() { w.Site.Close() }

func (w *world) serve(answer http.ResponseWriter, r *http.Request) {
	if r.Host == issuerHost {
		w.issuer.ServeHTTP(answer, r)
		return
	}
	w.vault.NewHandler().ServeHTTP(answer, r)
}

func open(t *testing.T, config simvault.Config, options vault.Options) *world {
	t.Helper()
	config.DB = store.NewMemory()
	w := &world{t: t, issuer: &issuer{t: t}}
	var err error
	if w.Site, err = site.Open(http.HandlerFunc(w.serve), host, issuerHost); err != nil {
		t.Fatal(err)
	}
	config.OIDC = simvault.OIDC{Issuer: "https://" + issuerHost, ClientID: "vault", HTTP: w.Site.Network().NewClient()}
	if w.vault, err = simvault.New(config); err != nil {
		t.Fatal(err)
	}
	w.token = w.issue(simvault.Engineer)
	if options.Address == "" && options.Services == nil {
		options.Address = address
	}
	w.Client = vault.New(w.Network(), options)
	return w
}

// inWorld runs a test in a synctest bubble, signed in with all permissions.
func inWorld(t *testing.T, test func(ctx context.Context, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := open(t, simvault.Config{}, vault.Options{})
		defer time.Sleep(time.Second) // the server waits on closed connections
		defer w.Close()
		w.Client = w.as(w.token)
		test(t.Context(), w)
	})
}

func (w *world) as(token string) *vault.Client {
	w.t.Helper()
	c := vault.New(w.Network(), vault.Options{Address: address, Token: token})
	if err := c.SignIn(w.t.Context(), nil); err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) issue(policies ...string) string {
	w.t.Helper()
	token, err := w.vault.CreateToken(policies...)
	if err != nil {
		w.t.Fatal(err)
	}
	return token
}

func (w *world) put(path string, values map[string]string) {
	w.t.Helper()
	if err := w.vault.Put(path, values); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) wantSecret(path string, want map[string]string) {
	w.t.Helper()
	got, _ := w.vault.ReadSecret(path)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		w.t.Errorf("%s holds %v, want %v", path, got, want)
	}
}

func (w *world) wantAction(got state.Action, err error, want state.Action) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	if got != want {
		w.t.Errorf("action %q, want %q", got, want)
	}
}

// wantFault checks an error, and that it contains no secret.
func (w *world) wantFault(err error, kind fault.Kind, words ...string) {
	w.t.Helper()
	if !fault.Is(err, kind) {
		w.t.Fatalf("error %v of kind %d, want kind %d", err, fault.KindOf(err), kind)
	}
	text := err.Error() + " / " + fault.HintOf(err)
	for _, word := range words {
		if !strings.Contains(text, word) {
			w.t.Errorf("%q does not say %q", text, word)
		}
	}
	if strings.Contains(text, canary) || strings.Contains(text, w.token) || strings.ContainsAny(text, "\x1b\n") {
		w.t.Errorf("%q tells a secret or controls the terminal", text)
	}
}

func (w *world) writes() int {
	n := 0
	for _, request := range w.Requests() {
		if strings.HasPrefix(request, "PUT "+dataPath) || strings.HasPrefix(request, "DELETE "+dataPath) {
			n++
		}
	}
	return n
}

// refuses responds in Vault's format.
func refuses(status int, words string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string][]string{"errors": {words}})
	}
}

// shows responds in another format.
func shows(status int, kind, content string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(content))
	}
}

// inWorldUnsigned runs a test in a world without a sign-in.
func inWorldUnsigned(t *testing.T, test func(ctx context.Context, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := open(t, simvault.Config{}, vault.Options{})
		defer time.Sleep(time.Second)
		defer w.Close()
		test(t.Context(), w)
	})
}

func (*world) pass(d time.Duration) { time.Sleep(d) }
