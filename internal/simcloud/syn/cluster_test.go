package syn

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/simcloud/store"
)

const demo = `{"id": "c-demo", "tenant": "t-quiet-harbour-4711", "displayName": "Demo", "facts": {"cloud": "exoscale", "nodes": 3},
	"dynamicFacts": {"x": 1}}`

// created is a world with a new cluster after the operator's reconciliation.
func created(t *testing.T, config Config) *world {
	t.Helper()
	w := open(t, config)
	if answer := w.send(http.MethodPost, "/clusters", demo); answer.Status != http.StatusCreated {
		t.Fatal(answer)
	}
	time.Sleep(preparing)
	return w
}

func TestCluster_RepositoryAfterSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, Config{})
		var made newCluster
		answer := w.send(http.MethodPost, "/clusters", demo)
		must(t, json.Unmarshal(answer.Body, &made))
		if answer.Status != http.StatusCreated || made.GitRepo.URL != nil || made.InstallURL != nil {
			t.Errorf("just after its creation: %s", answer)
		}
		if got := keys(made.Facts); !slices.Equal(got, []string{"cloud", instanceFact}) || made.DynamicFacts["x"] != 1.0 {
			t.Errorf("facts %v, dynamic %v", got, made.DynamicFacts)
		}
		time.Sleep(preparing)
		seen := w.get("/clusters/c-demo")
		if *seen.GitRepo.URL != "ssh://git@git.vshn.net/syn/cluster-catalogs/c-demo.git" || *seen.GitRepo.HostKeys == "" || seen.InstallURL == nil {
			t.Errorf("seconds later: %s", w.send(http.MethodGet, "/clusters/c-demo", ""))
		}
		if got := string(w.files["c-demo.yml"]); got != "classes:\n- t-quiet-harbour-4711.common\n" {
			t.Errorf("its file: %q", got)
		}
		if w.repositories["syn/cluster-catalogs/c-demo"] != "made" || w.secrets["t-quiet-harbour-4711/c-demo/steward"] == "" {
			t.Errorf("repositories %v, %d secrets", w.repositories, len(w.secrets))
		}
	})
}

func TestCluster_IDPrefix(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, Config{})
		for given, prefix := range map[string]string{`"id": "plain", `: "c-plain", "": "c-", `"id": "", `: "c-"} {
			var made newCluster
			answer := w.send(http.MethodPost, "/clusters", `{`+given+`"tenant": "t-other-hill-0815"}`)
			must(t, json.Unmarshal(answer.Body, &made))
			if answer.Status != http.StatusCreated || !strings.HasPrefix(*made.ID, prefix) || len(*made.ID) < 6 {
				t.Errorf("%s: %s", given, answer)
			}
		}
	})
}

func TestLieutenant_RefusalReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := created(t, Config{})
		for _, test := range []struct {
			method, path, body string
			status             int
			reason             string
		}{
			{"GET", "/clusters/c-none", "", 404, "clusters.syn.tools 'c-none' not found"},
			{"GET", "/tenants/t-none", "", 404, "tenants.syn.tools 't-none' not found"},
			{"POST", "/clusters", demo, 409, "clusters.syn.tools 'c-demo' already exists"},
			{"POST", "/clusters/c-demo", `{}`, 404, "method not allowed"},
			{"POST", "/clusters", `{"id": "c-x"}`, 400, "tenant"},
			{"POST", "/clusters", `{"id": "C_x", "tenant": "t-other-hill-0815"}`, 422, "RFC 1123"},
			{"POST", "/clusters", `{`, 400, "EOF"},
			{"POST", "/clusters", ``, 400, "Content-Type"},
			{"POST", "/tenants", `{"displayName": "A"}`, 400, "GitRepo URL is required"},
			{"PATCH", "/clusters/c-demo", `{"tenant": "t-other-hill-0815"}`, 400, "unknown field"},
			{"PATCH", "/clusters/c-demo", `{"id": "c-other"}`, 400, "unknown field"},
			{"PATCH", "/clusters/c-demo", `{"colour": "red"}`, 400, "unknown field"},
			{"PATCH", "/clusters/c-demo", `{"gitRepo": {"deployKey": "ssh-ed25519 AAAA me@home"}}`, 400, "Illegal deploy key format"},
			{"PATCH", "/clusters/c-none", `{}`, 404, "not found"},
			{"GET", "/clusters?sort_by=colour", "", 400, "sort_by"},
			{"GET", "/inventory", "", 500, "Not implemented"},
			{"GET", "/nowhere", "", 404, "no matching operation"},
			{"GET", "/install/steward.json", "", 400, "Missing or malformed token"},
			{"GET", "/install/steward.json?token=wrong", "", 401, "Invalid token"},
		} {
			if got := w.send(test.method, test.path, test.body); got.Status != test.status || !strings.Contains(got.Reason, test.reason) {
				t.Errorf("%s %s %s: %s, want %d %s", test.method, test.path, test.body, got, test.status, test.reason)
			}
		}
	})
}

func TestLieutenant_AcceptsUnknownTenant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, Config{})
		if got := w.send(http.MethodPost, "/clusters", `{"id": "c-lost", "tenant": "t-none", "dynamicFacts": {"a": 1}}`); got.Status != http.StatusCreated {
			t.Fatal(got)
		}
		time.Sleep(time.Hour)
		if seen := w.get("/clusters/c-lost"); seen.InstallURL != nil || seen.GitRepo != nil && seen.GitRepo.URL != nil || seen.DynamicFacts["a"] == nil {
			t.Errorf("%+v", seen)
		}
		if got := w.send(http.MethodGet, "/clusters?tenant=t-none", ""); strings.Contains(string(got.Body), "c-lost") {
			t.Error(got)
		}
	})
}

func TestCluster_PatchMerges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := created(t, Config{})
		answer := w.send(http.MethodPatch, "/clusters/c-demo", `{"displayName": null, "facts": {"cloud": null, "region": "ch-dk-2", "nodes": 4},
			"dynamicFacts": {"kubernetesVersion": {"major": "1"}}, "annotations": {"a": "b", "c": 1}, "gitRepo": {"deployKey": "ssh-ed25519 AAAA"}}`)
		if answer.Status != http.StatusOK {
			t.Fatal(answer)
		}
		seen := w.get("/clusters/c-demo/")
		if *seen.DisplayName != "Demo" || seen.Facts["cloud"] != "exoscale" || seen.Facts["region"] != "ch-dk-2" || seen.Facts["nodes"] != nil {
			t.Errorf("%+v", seen)
		}
		if seen.Annotations["a"] != "b" || seen.Annotations["c"] != nil || *seen.GitRepo.DeployKey != "ssh-ed25519 AAAA" || len(seen.DynamicFacts) != 2 {
			t.Errorf("%+v", seen)
		}
		if answer := w.send(http.MethodPatch, "/clusters/c-demo", `{}`, "Content-Type", plainType); answer.Status != http.StatusBadRequest {
			t.Errorf("a patch of another media type: %s", answer)
		}
	})
}

func TestCluster_DeployKeyNeedsRepository(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, Config{})
		w.send(http.MethodPost, "/clusters", demo)
		const patch = `{"gitRepo": {"deployKey": "ssh-ed25519 AAAA"}}`
		if answer := w.send(http.MethodPatch, "/clusters/c-demo", patch); answer.Status != http.StatusBadRequest {
			t.Error(answer)
		}
	})
}

func TestCluster_PutReplaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := created(t, Config{})
		if answer := w.send(http.MethodPut, "/clusters/c-demo", `{"tenant": "t-quiet-harbour-4711", "facts": {"region": "ch-dk-2"}}`); answer.Status != http.StatusOK {
			t.Fatal(answer)
		}
		if seen := w.get("/clusters/c-demo"); seen.DisplayName != nil || seen.Facts["cloud"] != nil || seen.GitRepo.URL == nil || seen.InstallURL == nil {
			t.Errorf("%+v", seen)
		}
		if answer := w.send(http.MethodPut, "/clusters/c-other", `{"tenant": "t-quiet-harbour-4711"}`); answer.Status != http.StatusCreated {
			t.Error(answer)
		}
	})
}

func TestCluster_ProtectionPreventsDeletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := created(t, Config{})
		w.get("/clusters/c-demo")
		if answer := w.send(http.MethodDelete, "/clusters/c-demo", ""); answer.Status != http.StatusNoContent || len(answer.Body) > 0 {
			t.Fatal(answer)
		}
		time.Sleep(time.Hour)
		w.get("/clusters/c-demo")
		if answer := w.send(http.MethodPatch, "/clusters/c-demo", `{"annotations": {"syn.tools/protected-delete": "false"}}`); answer.Status != http.StatusOK {
			t.Fatal(answer)
		}
		if answer := w.send(http.MethodGet, "/clusters/c-demo", ""); answer.Status != http.StatusNotFound {
			t.Errorf("after the protection was lifted: %s", answer)
		}
		if w.repositories["syn/cluster-catalogs/c-demo"] != "archived" || len(w.secrets) != 1 || w.files["c-demo.yml"] != nil {
			t.Errorf("repositories %v, %d secrets", w.repositories, len(w.secrets))
		}
	})
}

func TestCluster_ListByTenant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := created(t, Config{})
		ids := func(query string) (list []string) {
			var found []newCluster
			must(t, json.Unmarshal(w.send(http.MethodGet, "/clusters"+query, "").Body, &found))
			for _, c := range found {
				list = append(list, *c.ID)
			}
			return list
		}
		for query, want := range map[string][]string{
			"": {"c-demo", "c-old-mill-1234"}, "?sort_by=tenant": {"c-old-mill-1234", "c-demo"},
			"?tenant=t-other-hill-0815": {"c-old-mill-1234"}, "?tenant=t-none": nil,
		} {
			if got := ids(query); !slices.Equal(got, want) {
				t.Errorf("%s: %v", query, got)
			}
		}
		if got := w.send(http.MethodGet, "/clusters?tenant=t-none", ""); strings.TrimSpace(string(got.Body)) != "[]" {
			t.Errorf("no clusters: %s", got)
		}
	})
}

func TestCluster_KeepsCompileMeta(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := created(t, Config{})
		meta := `{"lastCompile": "2026-01-02T03:04:05Z", "tenant": {"gitSha": "abc"}}`
		if answer := w.send(http.MethodPost, "/clusters/c-demo/compileMeta", meta); answer.Status != http.StatusNoContent {
			t.Fatal(answer)
		}
		if seen := w.get("/clusters/c-demo"); seen.CompileMeta["lastCompile"] != "2026-01-02T03:04:05Z" {
			t.Errorf("%v", seen.CompileMeta)
		}
	})
}

func TestTenant_CreateUpdateDelete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, Config{})
		for _, step := range []struct {
			method, path, body string
			status             int
		}{
			{"POST", "/tenants", `{"id": "new", "gitRepo": {"url": "ssh://git@git.vshn.net/syn/tenants/t-new.git"}}`, 201},
			{"POST", "/tenants", `{"id": "t-new", "gitRepo": {"url": "ssh://git@git.vshn.net/syn/tenants/t-new.git"}}`, 409},
			{"PATCH", "/tenants/t-new", `{"displayName": "New", "globalGitRepoRevision": "v1", "gitRepo": {"revision": "main"}}`, 200},
			{"PATCH", "/tenants/t-new", `{"id": "t-old"}`, 400},
			{"PUT", "/tenants/t-new", `{"displayName": "Newer"}`, 200},
			{"PUT", "/tenants/t-newest", `{"gitRepo": {"url": "https://example.com/a/b.git"}}`, 201},
			{"GET", "/tenants", "", 200},
			{"DELETE", "/tenants/t-new", "", 204},
			{"GET", "/tenants/t-new", "", 200},
			{"PATCH", "/tenants/t-new", `{"annotations": {"syn.tools/protected-delete": "false"}}`, 200},
		} {
			if answer := w.send(step.method, step.path, step.body); answer.Status != step.status {
				t.Errorf("%s %s: %s, want %d", step.method, step.path, answer, step.status)
			}
		}
		time.Sleep(ending)
		if answer := w.send(http.MethodGet, "/tenants/t-new", ""); answer.Status != http.StatusNotFound {
			t.Errorf("after the protection was lifted: %s", answer)
		}
	})
}

func TestLieutenant_Persists(t *testing.T) {
	dir := t.TempDir()
	db, err := store.Open(dir)
	must(t, err)
	w := open(t, Config{DB: db})
	w.send(http.MethodPost, "/clusters", demo)
	before := w.token
	must(t, db.Close())
	db, err = store.Open(dir)
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	again := open(t, Config{DB: db})
	if again.token != before || *again.get("/clusters/c-demo").DisplayName != "Demo" {
		t.Error("another token, or no cluster")
	}
	if got := len(again.tenants.List()); got != 2 {
		t.Errorf("%d tenants", got)
	}
}
