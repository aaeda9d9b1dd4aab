package lieutenant_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
	"exoshift/state"
)

func wanted() state.SynCluster {
	return state.SynCluster{ID: "c-demo", Tenant: "t-one", DisplayName: "Demo", Facts: map[string]string{"cloud": "exoscale", "region": "ch-dk-2"}}
}

// existing adds a cluster to Lieutenant that lacks nothing but what change removes.
func (s *server) existing(change func(cluster map[string]any)) {
	cluster := map[string]any{
		"id": "c-demo", "tenant": "t-one", "displayName": "Demo", "facts": map[string]any{"cloud": "exoscale", "region": "ch-dk-2", "more": "yes"},
		"gitRepo": map[string]any{"url": "ssh://git@git.example.net/c-demo.git"}, "annotations": map[string]any{},
	}
	if change != nil {
		change(cluster)
	}
	s.clusters["c-demo"] = cluster
}

func TestEnsureCluster_WaitsForCatalog(t *testing.T) {
	s := newServer(t)
	s.slow = 3
	got, action, err := s.client().EnsureCluster(t.Context(), wanted())
	must(t, err)
	if action != state.Created || got.Catalog.URL != "ssh://git@git.example.net/c-demo.git" || got.Facts["lieutenant-instance"] != "test" || got.InstallURL == "" {
		t.Errorf("%s %+v", action, got)
	}
	want := []string{`POST /clusters {"id":"c-demo","tenant":"t-one","displayName":"Demo","facts":{"cloud":"exoscale","region":"ch-dk-2"}}`}
	if diff := cmp.Diff(want, s.changes()); diff != "" {
		t.Error(diff)
	}
	if _, action, err := s.client().EnsureCluster(t.Context(), wanted()); action != state.Found || err != nil || len(s.changes()) != 1 {
		t.Errorf("again: %s, %v, %v", action, err, s.changes())
	}
}

func TestEnsureCluster_AddsMissingOnly(t *testing.T) {
	for name, facts := range map[string]map[string]any{
		"no region":       {"cloud": "exoscale", "more": "yes"},
		"an empty region": {"cloud": "exoscale", "more": "yes", "region": ""},
	} {
		s := newServer(t)
		s.existing(func(c map[string]any) { c["displayName"], c["facts"] = "", facts })
		got, action, err := s.client().EnsureCluster(t.Context(), wanted())
		must(t, err)
		if action != state.Updated || got.Facts["region"] != "ch-dk-2" || got.Facts["more"] != "yes" {
			t.Errorf("%s: %s %+v", name, action, got)
		}
		if diff := cmp.Diff([]string{`PATCH /clusters/c-demo {"displayName":"Demo","facts":{"region":"ch-dk-2"}}`}, s.changes()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestEnsureCluster_RefusesOtherClustersAnswer(t *testing.T) {
	s := newServer(t)
	s.next("GET /clusters/c-demo", 200, `{"id": "c-other", "tenant": "t-one"}`)
	_, _, err := s.client().EnsureCluster(t.Context(), wanted())
	checkFault(t, "another cluster", err, fault.Invalid, "another cluster")
	if len(s.changes()) > 0 {
		t.Errorf("asked %v", s.changes())
	}
}

func TestEnsureCluster_KeepsDisplayName(t *testing.T) {
	s := newServer(t)
	s.existing(func(c map[string]any) { c["displayName"] = "Theirs" })
	if got, action, err := s.client().EnsureCluster(t.Context(), wanted()); action != state.Found || got.DisplayName != "Theirs" || err != nil {
		t.Errorf("%s %+v, %v", action, got, err)
	}
}

func TestEnsureCluster_RefusesForeignCluster(t *testing.T) {
	for name, test := range map[string]struct {
		change func(map[string]any)
		field  string
		says   []string
	}{
		"of another tenant": {func(c map[string]any) { c["tenant"] = "t-two" }, "syn.tenant", []string{"t-two", "t-one"}},
		"with another fact": {func(c map[string]any) { c["facts"] = map[string]any{"region": "at-vie-1"} }, "syn.facts", []string{"region", "at-vie-1", "ch-dk-2"}},
	} {
		s := newServer(t)
		s.existing(test.change)
		_, _, err := s.client().EnsureCluster(t.Context(), wanted())
		checkFault(t, name, err, fault.Conflict, test.says...)
		if fault.FieldOf(err) != test.field || len(s.changes()) > 0 {
			t.Errorf("%s: field %s, changes %v", name, fault.FieldOf(err), s.changes())
		}
	}
}

func TestEnsureCluster_LostReplyCreatesOne(t *testing.T) {
	s := newServer(t)
	s.overrides = []override{{request: "POST /clusters", status: 503, body: `{"reason": "lost"}`, after: true}}
	if got, action, err := s.client().EnsureCluster(t.Context(), wanted()); action != state.Found || got.ID != "c-demo" || err != nil {
		t.Errorf("%s %+v, %v", action, got, err)
	}
	s = newServer(t)
	s.next("POST /clusters", 503, `{"reason": "down"}`)
	_, _, err := s.client().EnsureCluster(t.Context(), wanted())
	checkFault(t, "never arrived", err, fault.Transient, "down")
	if len(s.changes()) != 1 {
		t.Errorf("asked %v", s.changes())
	}
}

func TestEnsureCluster_AdoptsConcurrentCreation(t *testing.T) {
	for name, tenant := range map[string]string{"for us": "t-one", "for someone else": "t-two"} {
		s := newServer(t)
		s.existing(func(c map[string]any) { c["tenant"] = tenant })
		s.next("GET /clusters/c-demo", 404, `{"reason": "not yet"}`)
		_, action, err := s.client().EnsureCluster(t.Context(), wanted())
		if tenant == "t-one" && (action != state.Found || err != nil) || tenant != "t-one" && !fault.Is(err, fault.Conflict) {
			t.Errorf("%s: %s, %v", name, action, err)
		}
	}
}

func TestEnsureCluster_RetriesConflict(t *testing.T) {
	s := newServer(t)
	s.existing(func(c map[string]any) { c["facts"] = map[string]any{} })
	s.next("PATCH /clusters/c-demo", 409, `{"reason": "the object has been modified; please apply your changes to the latest version"}`)
	if _, action, err := s.client().EnsureCluster(t.Context(), wanted()); action != state.Updated || err != nil {
		t.Errorf("%s, %v", action, err)
	}
}

func TestEnsureCluster_RepositoryTimeout(t *testing.T) {
	s := newServer(t)
	s.slow = 1 << 30
	_, _, err := s.client().EnsureCluster(t.Context(), wanted())
	checkFault(t, "no repository", err, fault.Timeout, "no Git repository", "the operator of Lieutenant")
}

func TestEnsureCluster_NamesMissingPermission(t *testing.T) {
	for request, says := range map[string]string{
		"POST /clusters":         "permission to create clusters",
		"PATCH /clusters/c-demo": "permission to update clusters and clusters/status",
	} {
		s := newServer(t)
		if strings.HasPrefix(request, "PATCH") {
			s.existing(func(c map[string]any) { c["facts"] = map[string]any{} })
		}
		s.next(request, 403, `{"reason": "no"}`)
		_, _, err := s.client().EnsureCluster(t.Context(), wanted())
		checkFault(t, request, err, fault.Denied, says)
	}
}

func TestEnsureDynamicFacts_KeepsReported(t *testing.T) {
	s := newServer(t)
	s.existing(func(c map[string]any) {
		c["dynamicFacts"] = map[string]any{"kubernetesVersion": map[string]any{"major": "1", "minor": "33"}}
	})
	facts := map[string]any{
		"kubernetesVersion": map[string]any{"major": "1", "minor": "34"}, "openshiftVersion": map[string]any{"Major": "4", "Minor": "21"},
	}
	action, err := s.client().EnsureDynamicFacts(t.Context(), "c-demo", facts)
	must(t, err)
	if diff := cmp.Diff([]string{`PATCH /clusters/c-demo {"dynamicFacts":{"openshiftVersion":{"Major":"4","Minor":"21"}}}`}, s.changes()); diff != "" || action != state.Updated {
		t.Error(action, diff)
	}
	if action, err := s.client().EnsureDynamicFacts(t.Context(), "c-demo", facts); action != state.Found || err != nil || len(s.changes()) != 1 {
		t.Errorf("again: %s, %v", action, err)
	}
	if len(facts) != 2 {
		t.Error("the caller's facts were changed")
	}
	_, err = s.client().EnsureDynamicFacts(t.Context(), "c-none", facts)
	checkFault(t, "of no cluster", err, fault.NotFound, "c-none")
}

func TestDeleteCluster_AfterProtectionLifted(t *testing.T) {
	s := newServer(t)
	s.existing(func(c map[string]any) {
		c["annotations"] = map[string]any{"syn.tools/protected-delete": "true", "more": "yes"}
	})
	s.slow = 4
	action, err := s.client().DeleteCluster(t.Context(), "c-demo")
	must(t, err)
	want := []string{`PATCH /clusters/c-demo {"annotations":{"syn.tools/protected-delete":"false"}}`, "DELETE /clusters/c-demo"}
	if diff := cmp.Diff(want, s.changes()); diff != "" || action != state.Deleted || s.clusters["c-demo"] != nil {
		t.Error(action, diff)
	}
	if action, err := s.client().DeleteCluster(t.Context(), "c-demo"); action != state.Found || err != nil || len(s.changes()) != 2 {
		t.Errorf("again: %s, %v, %v", action, err, s.changes())
	}
}

func TestDeleteCluster_ReportsPending(t *testing.T) {
	s := newServer(t)
	s.existing(nil)
	s.slow = 1 << 30
	_, err := s.client().DeleteCluster(t.Context(), "c-demo")
	checkFault(t, "slow", err, fault.Timeout, "in progress", "run again")
	s.next("DELETE /clusters/c-demo", 403, `{"reason": "no"}`)
	_, err = s.client().DeleteCluster(t.Context(), "c-demo")
	checkFault(t, "forbidden", err, fault.Denied, "permission to delete clusters")
	if len(s.changes()) != 3 {
		t.Errorf("the protection was lifted twice: %v", s.changes())
	}
	s.next("DELETE /clusters/c-demo", 404, `{"reason": "gone"}`)
	if action, err := s.client().DeleteCluster(t.Context(), "c-demo"); action != state.Deleted || err != nil {
		t.Errorf("deleted by someone else: %s, %v", action, err)
	}
}

func TestClient_NeedsNoStatusPermission(t *testing.T) {
	const forbidden = `{"reason": "clusters.syn.tools 'c-demo' is forbidden: User 'me' cannot update resource 'clusters/status' in API group 'syn.tools'"}`
	s := newServer(t)
	s.overrides = append(s.overrides, override{request: "POST /clusters", status: 403, body: forbidden, after: true})
	_, action, err := s.client().EnsureCluster(t.Context(), state.SynCluster{ID: "c-demo", Tenant: "t-one"})
	checkFault(t, "created", err, fault.Denied, "the cluster was created", "update clusters/status", "then run again")
	if action != state.Created || s.clusters["c-demo"] == nil {
		t.Errorf("action %q, %v", action, s.clusters)
	}
	s.overrides = append(s.overrides, override{request: "PATCH /clusters/c-demo", status: 403, body: forbidden, after: true})
	if action, err := s.client().DeleteCluster(t.Context(), "c-demo"); err != nil || action != state.Deleted || s.clusters["c-demo"] != nil {
		t.Errorf("action %q, %v", action, err)
	}
}

func TestClient_DoesNotDeleteWhatItMayNotChange(t *testing.T) {
	s := newServer(t)
	_, _, err := s.client().EnsureCluster(t.Context(), state.SynCluster{ID: "c-demo", Tenant: "t-one"})
	must(t, err)
	s.next("PATCH /clusters/c-demo", 403, `{"reason": "clusters.syn.tools 'c-demo' is forbidden: User 'me' cannot update resource 'clusters'"}`)
	_, err = s.client().DeleteCluster(t.Context(), "c-demo")
	checkFault(t, "protected", err, fault.Denied, "update clusters")
	if s.clusters["c-demo"]["deleted"] != nil {
		t.Error("its deletion was requested")
	}
}
