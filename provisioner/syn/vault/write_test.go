package vault_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/site"
	simvault "exoshift/internal/simcloud/vault"
	"exoshift/state"
)

func TestEnsureSecret_IsIdempotent(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		action, err := w.EnsureSecret(ctx, backup, map[string]string{"password": "first"})
		w.wantAction(action, err, state.Created)
		before := w.writes()
		action, err = w.EnsureSecret(ctx, backup, map[string]string{"password": "second"})
		w.wantAction(action, err, state.Found)
		w.wantSecret(backup, map[string]string{"password": "first"})
		if w.writes() != before {
			t.Errorf("the rerun wrote: %v", w.Requests())
		}
	})
}

func TestEnsureSecret_AddsMissingKeys(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.put(backup, map[string]string{"password": "old", "theirs": "kept"})
		action, err := w.EnsureSecret(ctx, backup, map[string]string{"password": "new", "user": "added"})
		w.wantAction(action, err, state.Updated)
		w.wantSecret(backup, map[string]string{"password": "old", "theirs": "kept", "user": "added"})
	})
}

func TestEnsureSecret_KeepsEmptyValue(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.put(backup, map[string]string{"password": ""})
		action, err := w.EnsureSecret(ctx, backup, map[string]string{"password": "new"})
		w.wantAction(action, err, state.Found)
	})
}

func TestEnsureSecret_RefusesDeletedSecret(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.put(backup, map[string]string{"password": canary})
		if err := w.vault.SoftDeleteBelow("t-demo/c-demo"); err != nil {
			t.Fatal(err)
		}
		_, err := w.EnsureSecret(ctx, backup, map[string]string{"password": "new"})
		w.wantFault(err, fault.Conflict, "was deleted at 20", "vault kv undelete -mount=clusters/kv -versions=1 "+backup)
		if w.writes() != 0 {
			t.Errorf("it wrote: %v", w.Requests())
		}
	})
}

func TestEnsureSecret_RefusesDestroyedSecret(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.put(backup, map[string]string{"password": "old"})
		w.request(ctx, http.MethodPost, "/v1/clusters/kv/destroy/"+backup, `{"versions":[1]}`)
		_, err := w.EnsureSecret(ctx, backup, map[string]string{"password": "new"})
		w.wantFault(err, fault.Conflict, "version 1 was destroyed", "it cannot be restored;")
	})
}

func TestSetSecret_OverwritesAndRestores(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		const path = "t-demo/c-demo/exoscale/ccm"
		action, err := w.SetSecret(ctx, path, map[string]string{"access_key": "1"})
		w.wantAction(action, err, state.Created)
		action, err = w.SetSecret(ctx, path, map[string]string{"access_key": "2", "secret_key": "x"})
		w.wantAction(action, err, state.Updated)
		action, err = w.SetSecret(ctx, path, map[string]string{"access_key": "2"})
		w.wantAction(action, err, state.Found)
		w.wantSecret(path, map[string]string{"access_key": "2", "secret_key": "x"})
		if err := w.vault.SoftDeleteBelow(path); err != nil {
			t.Fatal(err)
		}
		action, err = w.SetSecret(ctx, path, map[string]string{"access_key": "3"})
		w.wantAction(action, err, state.Updated)
		w.wantSecret(path, map[string]string{"access_key": "3"})
	})
}

// between calls do once, after a secret was read and before it is written.
func (w *world) between(path string, do func()) {
	w.InjectFaults(site.Fault{Match: "GET " + dataPath + path, ServeFirst: true, Respond: func(http.ResponseWriter, *http.Request) { do() }})
}

func TestEnsureSecret_KeepsConcurrentValue(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.between(backup, func() { w.put(backup, map[string]string{"password": "winner"}) })
		action, err := w.EnsureSecret(ctx, backup, map[string]string{"password": "loser"})
		w.wantAction(action, err, state.Found)
		w.wantSecret(backup, map[string]string{"password": "winner"})
	})
}

func TestEnsureSecret_MergesConcurrentKeys(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.put(backup, map[string]string{"a": "1"})
		w.between(backup, func() { w.put(backup, map[string]string{"a": "1", "b": "2"}) })
		action, err := w.EnsureSecret(ctx, backup, map[string]string{"c": "3"})
		w.wantAction(action, err, state.Updated)
		w.wantSecret(backup, map[string]string{"a": "1", "b": "2", "c": "3"})
		w.between(backup, func() { w.put(backup, map[string]string{"a": "4", "b": "2"}) })
		action, err = w.SetSecret(ctx, backup, map[string]string{"b": "5"})
		w.wantAction(action, err, state.Updated)
		w.wantSecret(backup, map[string]string{"a": "4", "b": "5"})
	})
}

func TestVault_WritersThatMeetPause(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		// None of them writes before all have read.
		var all, reads sync.WaitGroup
		reads.Add(4)
		for range 4 {
			w.between(backup, func() { reads.Done(); reads.Wait() })
		}
		began := time.Now()
		for i := range 4 {
			all.Go(func() {
				if _, err := w.EnsureSecret(ctx, backup, map[string]string{fmt.Sprint("key-", i): "x"}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if got, err := w.GetSecret(ctx, backup); err != nil || len(got) != 4 {
			t.Errorf("%v, %v", got, err)
		}
		if took := time.Since(began); took == 0 || took > 10*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

func TestSetSecret_GivesUpOnConflicts(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		for i := range 9 {
			w.between(backup, func() { w.put(backup, map[string]string{"a": fmt.Sprint(i)}) })
		}
		_, err := w.SetSecret(ctx, backup, map[string]string{"b": canary})
		w.wantFault(err, fault.Conflict, "concurrent writes")
	})
}

func TestEnsureSecret_ManyWritersAgree(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		var writers sync.WaitGroup
		created := make([]bool, 8)
		for i := range created {
			client := w.as(w.token)
			writers.Go(func() {
				action, err := client.EnsureSecret(ctx, backup, map[string]string{"password": fmt.Sprint(i)})
				if err != nil {
					t.Error(err)
				}
				created[i] = action == state.Created
			})
		}
		writers.Wait()
		got, _ := w.vault.ReadSecret(backup)
		for i, is := range created {
			if is != (got["password"] == fmt.Sprint(i)) {
				t.Errorf("writer %d says created=%t, and the password is that of %s", i, is, got["password"])
			}
		}
	})
}

func TestEnsureSecret_FindsWriteAfterLostAnswer(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.InjectFaults(site.Fault{Match: "PUT " + dataPath, ServeFirst: true})
		action, err := w.EnsureSecret(ctx, backup, map[string]string{"password": "ours"})
		w.wantAction(action, err, state.Created)
		w.wantSecret(backup, map[string]string{"password": "ours"})
		if w.writes() != 1 {
			t.Errorf("%d writes", w.writes())
		}
	})
}

func TestEnsureSecret_RepeatsUndeliveredWrite(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.InjectFaults(site.Fault{Match: "PUT " + dataPath, Respond: refuses(502, "bad gateway")}, site.Fault{Match: "PUT " + dataPath})
		action, err := w.EnsureSecret(ctx, backup, map[string]string{"password": "ours"})
		w.wantAction(action, err, state.Created)
		var asked []string
		for _, request := range w.Requests() {
			if method, path, _ := strings.Cut(request, " "); path == dataPath+backup {
				asked = append(asked, method)
			}
		}
		if got := strings.Join(asked, " "); got != "GET PUT GET PUT GET PUT" {
			t.Errorf("asked %s", got)
		}
	})
}

func TestEnsureSecret_KeepsForeignFields(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.request(ctx, http.MethodPost, dataPath+backup, `{"data":{"port":9007199254740991,"deep":{"a":[1,true]}}}`)
		action, err := w.EnsureSecret(ctx, backup, map[string]string{"password": "ours"})
		w.wantAction(action, err, state.Updated)
		got, err := w.GetSecret(ctx, backup)
		if err != nil || got["port"] != "9007199254740991" || got["deep"] != `{"a":[1,true]}` {
			t.Errorf("got %v, %v", got, err)
		}
	})
}

func TestPreview_WritesNothing(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.put("t-demo/c-demo/registry", map[string]string{"httpSecret": "x"})
		preview := w.Preview()
		action, err := preview.EnsureSecret(ctx, backup, map[string]string{"password": "new"})
		w.wantAction(action, err, state.Created)
		action, err = preview.SetSecret(ctx, "t-demo/c-demo/registry", map[string]string{"httpSecret": "y"})
		w.wantAction(action, err, state.Updated)
		action, err = preview.Delete(ctx, "t-demo/c-demo/registry")
		w.wantAction(action, err, state.Deleted)
		if w.writes() != 0 {
			t.Errorf("it wrote: %v", w.Requests())
		}
	})
}

func TestEnsureSecret_NamesMissingPolicy(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		reader := w.as(w.issue(simvault.FormatClusterPolicy("t-demo", "c-demo")))
		_, err := reader.EnsureSecret(ctx, backup, map[string]string{"password": canary})
		w.wantFault(err, fault.Denied, "no permission to create clusters/kv/data/"+backup, `capability "create"`)
		w.put(backup, map[string]string{"a": "1"})
		_, err = reader.SetSecret(ctx, backup, map[string]string{"password": canary})
		w.wantFault(err, fault.Denied, `capability "update"`)
	})
}

func TestEnsureSecret_RedactsServerMessage(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.InjectFaults(site.Fault{Match: "PUT " + dataPath, Respond: refuses(400, "bad value "+canary+" \x1b[31m of "+w.token)})
		_, err := w.EnsureSecret(ctx, backup, map[string]string{"password": canary})
		w.wantFault(err, fault.Invalid, "Vault responds 400: bad value …")
	})
}

func TestEnsureSecret_WaitEndsWithContext(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		ctx, cancel := context.WithCancelCause(ctx)
		reason := errors.New("stopped by the operator")
		w.InjectFaults(site.Fault{Match: "PUT " + dataPath, Respond: func(a http.ResponseWriter, r *http.Request) {
			refuses(503, "down")(a, r)
			cancel(reason)
		}})
		_, err := w.EnsureSecret(ctx, backup, map[string]string{"password": "x"})
		if !fault.Is(err, fault.Cancelled) || !errors.Is(err, reason) {
			t.Errorf("got %v", err)
		}
	})
}
