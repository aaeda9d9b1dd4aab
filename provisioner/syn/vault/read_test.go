package vault_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/site"
	simvault "exoshift/internal/simcloud/vault"
	"exoshift/provisioner/syn/vault"
	"exoshift/state"
)

// request calls Vault without the client.
func (w *world) request(ctx context.Context, method, path, body string) string {
	w.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, address+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("X-Vault-Token", w.token)
	r.Close = true
	answer, err := w.Network().NewClient().Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	content, _ := io.ReadAll(answer.Body)
	if answer.StatusCode >= 300 {
		w.t.Fatalf("%s %s: %d %s", method, path, answer.StatusCode, content)
	}
	return string(content)
}

func TestGetSecret_NotFound(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		_, err := w.GetSecret(ctx, backup)
		w.wantFault(err, fault.NotFound, "there is none")
		w.put(backup, map[string]string{"password": "x"})
		got, err := w.GetSecret(ctx, backup)
		if err != nil || got["password"] != "x" {
			t.Errorf("got %v, %v", got, err)
		}
		action, err := w.Delete(ctx, backup)
		w.wantAction(action, err, state.Deleted)
		_, err = w.GetSecret(ctx, backup)
		w.wantFault(err, fault.NotFound, "it was deleted", "vault kv undelete")
	})
}

func TestDelete_IdempotentAndOwnOnly(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.put(backup, map[string]string{"password": "x"})
		for _, want := range []state.Action{state.Deleted, state.Found} {
			action, err := w.Delete(ctx, backup)
			w.wantAction(action, err, want)
		}
		for _, path := range []string{"__shared__/__shared__/opsgenie/aldebaran", "lbaas/hieradata_repo_token"} {
			_, err := w.Delete(ctx, path)
			w.wantFault(err, fault.Invalid, "does not belong to a single cluster")
			if _, there := w.vault.ReadSecret(path); !there {
				t.Errorf("%s is gone", path)
			}
		}
		w.request(ctx, http.MethodPost, "/v1/clusters/kv/undelete/"+backup, `{"versions":[1]}`)
		w.wantSecret(backup, map[string]string{"password": "x"})
	})
}

func TestListMissing_OrderedAndReadOnce(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.put("t-demo/c-demo/registry", map[string]string{"httpSecret": canary})
		w.put("t-demo/c-demo/steward", map[string]string{"token": canary})
		if err := w.vault.SoftDeleteBelow("t-demo/c-demo/steward"); err != nil {
			t.Fatal(err)
		}
		wanted := []state.VaultSecret{
			{Path: "t-demo/c-demo/steward", Key: "token"},
			{Path: "t-demo/c-demo/registry", Key: "other"},
			{Path: "t-demo/c-demo/registry", Key: "httpSecret"},
			{Path: "__shared__/__shared__/opsgenie/aldebaran", Key: "heartbeat-password"},
			{Path: "__shared__/__shared__/none", Key: "a"},
		}
		got, err := w.ListMissing(ctx, wanted)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]state.VaultSecret{wanted[0], wanted[1], wanted[4]}, got); diff != "" {
			t.Error(diff)
		}
		reads := map[string]int{}
		for _, request := range w.Requests() {
			if strings.HasPrefix(request, "GET "+dataPath) || strings.HasPrefix(request, "GET /v1/sys/internal/") {
				reads[request]++
			}
		}
		if len(reads) != 5 || reads["GET /v1/sys/internal/ui/mounts/clusters/kv"] != 1 || reads["GET "+dataPath+"t-demo/c-demo/registry"] != 1 {
			t.Errorf("read %v", reads)
		}
	})
}

func TestListMissing_ForbiddenIsNotMissing(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		cluster := w.as(w.issue(simvault.FormatClusterPolicy("t-demo", "c-demo")))
		_, err := cluster.ListMissing(ctx, []state.VaultSecret{{Path: "t-demo/c-other/registry", Key: "a"}})
		w.wantFault(err, fault.Denied, "no permission to read clusters/kv/data/t-demo/c-other/registry")
	})
}

func TestCheck_EveryCapability(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		if err := w.Check(ctx, "t-demo/c-demo"); err != nil {
			t.Error(err)
		}
		if err := w.as(w.issue("root")).Check(ctx, "t-demo/c-demo"); err != nil {
			t.Error(err)
		}
		cluster := w.as(w.issue(simvault.FormatClusterPolicy("t-demo", "c-demo")))
		w.wantFault(cluster.Check(ctx, "t-demo/c-demo"), fault.Denied, "no permission to create, update", "clusters/kv/data/t-demo/c-demo/*")
		w.wantFault(w.as(w.issue()).Check(ctx, "t-demo/c-demo"), fault.Denied, "this token")
		if got := w.vault.ListPaths(); len(got) != 2 {
			t.Errorf("it created %q", got)
		}
	})
}

func TestPaths_RefuseTraversal(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		for _, path := range []string{"", "t/../../../sys/seal", "/t/c", "t//c", "t/c/", "t/./c", "t/c?version=1", "t/c#x", "t/\x1b[31m", "t/a b"} {
			_, err := w.GetSecret(ctx, path)
			w.wantFault(err, fault.Invalid, "not a path of a secret,")
			_, err = w.EnsureSecret(ctx, path, map[string]string{"a": "1"})
			w.wantFault(err, fault.Invalid)
			_, err = w.ListMissing(ctx, []state.VaultSecret{{Path: path, Key: "a"}})
			w.wantFault(err, fault.Invalid)
		}
	})
}

func TestClient_RefusesOtherEngine(t *testing.T) {
	for name, answer := range map[string]string{
		"version 1":     `{"data":{"type":"kv","path":"clusters/kv/","options":{"version":"1"}}}`,
		"no options":    `{"data":{"type":"kv","path":"clusters/kv/","options":null}}`,
		"another kind":  `{"data":{"type":"cubbyhole","path":"clusters/kv/","options":{"version":"2"}}}`,
		"another mount": `{"data":{"type":"kv","path":"clusters/","options":{"version":"2"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(ctx context.Context, w *world) {
				w.InjectFaults(site.Fault{Match: "GET /v1/sys/internal/ui/mounts/", Respond: shows(200, "application/json", answer)})
				_, err := w.EnsureSecret(ctx, backup, map[string]string{"password": canary})
				w.wantFault(err, fault.Invalid, "not a KV store of version 2")
				for _, request := range w.Requests() {
					if strings.Contains(request, dataPath) {
						t.Errorf("asked %s", request)
					}
				}
			})
		})
	}
}

func TestListMissing_MountNotFound(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		elsewhere := vault.New(w.Network(), vault.Options{Address: address, Token: w.issue("root"), Mount: "other/kv"})
		if err := elsewhere.SignIn(ctx, nil); err != nil {
			t.Fatal(err)
		}
		_, err := elsewhere.ListMissing(ctx, []state.VaultSecret{{Path: backup, Key: "password"}})
		w.wantFault(err, fault.Denied, "no store other/kv")
		w.put(backup, map[string]string{"password": "x"})
		if _, err := w.GetSecret(ctx, backup); err != nil {
			t.Fatal(err)
		}
		w.InjectFaults(site.Fault{Match: "GET " + dataPath, Respond: refuses(404, `no handler for route "clusters/kv/data". route entry not found.`)})
		_, err = w.ListMissing(ctx, []state.VaultSecret{{Path: backup, Key: "password"}})
		w.wantFault(err, fault.NotFound, "no such mount")
	})
}

func TestVault_ReadsAVersionWithoutData(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.request(ctx, "POST", "/v1/clusters/kv/data/"+backup, `{"data": null, "options": {"cas": "0"}}`)
		if got, err := w.GetSecret(ctx, backup); err != nil || len(got) != 0 {
			t.Errorf("got %v, %v", got, err)
		}
		action, err := w.EnsureSecret(ctx, backup, map[string]string{"password": "x"})
		w.wantAction(action, err, state.Updated)
		w.request(ctx, "PUT", "/v1/clusters/kv/destroy/"+backup, `{"versions":[2]}`)
		_, err = w.GetSecret(ctx, backup)
		w.wantFault(err, fault.NotFound, "was destroyed")
	})
}
