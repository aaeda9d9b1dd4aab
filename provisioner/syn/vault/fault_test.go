package vault_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/site"
	"exoshift/provisioner/syn/vault"
)

func TestFault_KindOfEachState(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		kind   fault.Kind
		word   string
	}{
		"sealed":           {refuses(503, "Vault is sealed"), fault.Transient, "unseal it"},
		"down":             {refuses(503, "down"), fault.Transient, "down"},
		"rate limit":       {refuses(429, "request path rate limit quota exceeded"), fault.Transient, "limits requests"},
		"recovery replica": {refuses(472, "path disabled in replication DR secondary mode"), fault.Transient, "the active one"},
		"standby":          {refuses(473, ""), fault.Transient, "the active one"},
		"bad request":      {refuses(400, "what is this"), fault.Invalid, "what is this"},
		"login page":       {shows(200, "text/html; charset=utf-8", "<html>"+canary), fault.Invalid, "web page"},
		"denied by a page": {shows(403, "text/html", "<html>"+canary), fault.Invalid, "login page"},
		"balancer's page":  {shows(502, "text/html", "<html>Bad Gateway</html>"), fault.Transient, "502"},
		"no JSON":          {shows(200, "text/plain", "hello "+canary), fault.Invalid, "not a response of Vault"},
		"no JSON, 404":     {shows(404, "text/plain", "404 page not found"), fault.NotFound, "404"},
		"other JSON":       {shows(200, "application/json", `{"data":{"data":"`+canary+`"}}`), fault.Invalid, "not a response of Vault"},
		"no version":       {shows(200, "application/json", `{"data":{"data":{"password":"`+canary+`"}}}`), fault.Invalid, "not a response of Vault"},
		"cut":              {nil, fault.Transient, "reaches Vault"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(ctx context.Context, w *world) {
				w.put(backup, map[string]string{"password": "x"})
				if _, err := w.GetSecret(ctx, backup); err != nil {
					t.Fatal(err)
				}
				for range 9 { // net/http repeats a request by itself
					w.InjectFaults(site.Fault{Match: "GET " + dataPath, Respond: c.answer})
				}
				_, err := w.GetSecret(ctx, backup)
				w.wantFault(err, c.kind, c.word)
			})
		})
	}
}

func TestClient_RetriesReads(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.put(backup, map[string]string{"password": "x"})
		w.InjectFaults(site.Fault{Match: "GET " + dataPath, Respond: refuses(503, "down")}, site.Fault{Match: "GET " + dataPath})
		if _, err := w.GetSecret(ctx, backup); err != nil {
			t.Error(err)
		}
	})
}

func TestClient_NoTokenAcrossRedirect(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		for _, status := range []int{301, 302, 307} {
			w.InjectFaults(site.Fault{Match: "GET " + dataPath, Respond: func(a http.ResponseWriter, r *http.Request) {
				http.Redirect(a, r, "https://evil.example.net/v1/x", status)
			}})
			_, err := w.GetSecret(ctx, backup)
			w.wantFault(err, fault.Invalid, "redirects to evil.example.net")
		}
		w.InjectFaults(site.Fault{Match: "PUT " + dataPath, Respond: func(a http.ResponseWriter, r *http.Request) {
			http.Redirect(a, r, "https://evil.example.net/v1/x", http.StatusTemporaryRedirect)
		}})
		_, err := w.EnsureSecret(ctx, backup, map[string]string{"password": canary})
		w.wantFault(err, fault.Invalid, "redirects to evil.example.net")
	})
}

func TestNew_RefusesInvalidAddress(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		for _, wrong := range []string{
			"http://" + host, "", host, "https://", "ftp://" + host, "https://user:" + canary + "@" + host, address + "?a=" + canary, "unix:///tmp/x", "https://a b",
		} {
			c := vault.New(w.Network(), vault.Options{Address: wrong, Token: w.token})
			w.wantFault(c.SignIn(ctx, nil), fault.Invalid, "find Vault")
		}
		if n := len(w.Requests()); n != 1 { // that of the engineer's own sign-in
			t.Errorf("asked %v", w.Requests())
		}
		c := vault.New(w.Network(), vault.Options{Address: address + "/", Token: w.token})
		if err := c.SignIn(ctx, nil); err != nil {
			t.Error(err)
		}
	})
}

func TestClient_IgnoresEnvironmentTLS(t *testing.T) {
	t.Setenv("VAULT_SKIP_VERIFY", "true")
	inWorld(t, func(ctx context.Context, w *world) {
		strange := w.Network()
		strange.Roots = nil
		c := vault.New(strange, vault.Options{Address: address, Token: w.token})
		w.wantFault(c.SignIn(ctx, nil), fault.Internal, "certificate", "proxy inspects TLS")
	})
}

func TestClient_IgnoresVaultEnvironment(t *testing.T) {
	for name, value := range map[string]string{
		"VAULT_ADDR": "https://evil.example.net", "VAULT_AGENT_ADDR": "https://evil.example.net", "VAULT_TOKEN": canary,
		"VAULT_NAMESPACE": "elsewhere", "VAULT_HEADERS": `{"X-Evil":"yes"}`, "VAULT_WRAP_TTL": "5m", "VAULT_MAX_RETRIES": "9",
		"VAULT_PROXY_ADDR": "http://evil.example.net:3128", "VAULT_HTTP_PROXY": "http://evil.example.net:3128",
		"VAULT_SKIP_VERIFY": "true", "VAULT_TLS_SERVER_NAME": "evil.example.net", "VAULT_SRV_LOOKUP": "true",
		"VAULT_RATE_LIMIT": "0.001:1", "VAULT_CLIENT_TIMEOUT": "1ns", "VAULT_DISABLE_REDIRECTS": "false",
	} {
		t.Setenv(name, value)
	}
	inWorld(t, func(ctx context.Context, w *world) {
		seen := http.Header{}
		w.put(backup, map[string]string{"password": "x"})
		w.InjectFaults(site.Fault{Match: "GET " + dataPath, ServeFirst: true, Respond: func(_ http.ResponseWriter, r *http.Request) { seen = r.Header }})
		got, err := w.GetSecret(ctx, backup)
		if err != nil || got["password"] != "x" {
			t.Fatalf("got %v, %v", got, err)
		}
		for _, header := range []string{"X-Evil", "X-Vault-Namespace", "X-Vault-Wrap-Ttl"} {
			if seen.Get(header) != "" {
				t.Errorf("%s: %s", header, seen.Get(header))
			}
		}
		if seen.Get("X-Vault-Token") != w.token || seen.Get("X-Vault-Request") != "true" {
			t.Errorf("headers %v", seen)
		}
		nobody := vault.New(w.Network(), vault.Options{Address: address})
		w.wantFault(nobody.SignIn(ctx, nil), fault.Waiting)
		_, err = nobody.GetSecret(ctx, backup)
		w.wantFault(err, fault.Denied, "not signed in")
	})
}

func TestClient_NamesMalformedVariable(t *testing.T) {
	t.Setenv("VAULT_SKIP_VERIFY", "perhaps")
	inWorldUnsigned(t, func(ctx context.Context, w *world) {
		w.wantFault(w.SignIn(ctx, nil), fault.Invalid, "VAULT_SKIP_VERIFY", "unset it")
	})
}

func TestClient_SendsNamespace(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		seen := http.Header{}
		w.InjectFaults(site.Fault{Match: "GET /v1/auth/token/lookup-self", ServeFirst: true, Respond: func(_ http.ResponseWriter, r *http.Request) { seen = r.Header }})
		c := vault.New(w.Network(), vault.Options{Address: address, Token: w.token, Namespace: "syn"})
		if err := c.SignIn(ctx, nil); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(seen.Get("X-Vault-Namespace"), "syn") {
			t.Errorf("headers %v", seen)
		}
	})
}
