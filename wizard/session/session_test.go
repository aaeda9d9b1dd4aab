package session_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/session"
)

// interview is an interview in memory whose time stands still.
type interview struct {
	*session.Session
	now   time.Time
	saved []*wizard.Answers
}

func newInterview(t *testing.T, change func(*wizard.Interview)) *interview {
	t.Helper()
	i := &interview{now: time.Date(2026, 5, 4, 14, 2, 0, 0, time.UTC)}
	dir := t.TempDir()
	given := &wizard.Interview{
		Answers: wizard.NewAnswers(),
		LookupEnv: func(name string) (string, bool) {
			value, set := map[string]string{"EXOSCALE_API_KEY": "EXOnothing", "EXOSCALE_API_SECRET": "nothing"}[name]
			return value, set
		},
		Save: func(a *wizard.Answers) error { i.saved = append(i.saved, a); return nil },
		SaveSecret: func(key, secret string) (string, error) {
			path := filepath.Join(dir, key)
			return "file:" + path, os.WriteFile(path, []byte(secret), 0o600)
		},
	}
	if change != nil {
		change(given)
	}
	i.Session = session.New(given, func() time.Time { return i.now })
	i.work(t, i.Local.Start())
	return i
}

// work runs work and its updates to their end.
func (i *interview) work(t *testing.T, work session.Work) {
	t.Helper()
	if work != nil {
		work(t.Context(), func(update func()) { update() })
	}
}

// runLookups runs all lookups that are due, and returns their IDs.
func (i *interview) runLookups(t *testing.T) string {
	t.Helper()
	var ids []string
	for _, q := range i.Lookups.List() {
		if q.State == session.Due {
			i.work(t, i.Lookups.Start(q.ID, q.Generation))
			ids = append(ids, q.ID)
		}
	}
	return strings.Join(ids, " ")
}

func (i *interview) set(t *testing.T, pairs ...string) {
	t.Helper()
	for n := 0; n < len(pairs); n += 2 {
		if err := i.Set(pairs[n], pairs[n+1]); err != nil {
			t.Fatal(err)
		}
	}
}

func lookup(id string, screen wizard.Screen, result wizard.LookupResult, err error, keys ...string) func(*wizard.Interview) {
	return func(i *wizard.Interview) {
		i.Lookups = append(i.Lookups, wizard.Lookup{ID: id, Title: id, Screen: screen, Keys: keys,
			Run: func(context.Context, state.Spec, wizard.Secrets) (wizard.LookupResult, error) { return result, err }})
	}
}

func TestSet_KeepsRejectedText(t *testing.T) {
	i := newInterview(t, nil)
	field, _ := i.FindField("cluster.id")
	if err := i.Set("cluster.id", "UPPER"); err == nil || !i.IsRejected("cluster.id") || i.Text(field) != "UPPER" || i.Spec().Cluster.ID != "" {
		t.Errorf("%v, text %q, answer %q", err, i.Text(field), i.Spec().Cluster.ID)
	}
	if len(i.Errors("cluster.id")) == 0 {
		t.Error("the rejection is no error of the field")
	}
	if i.set(t, "cluster.id", "c-demo-1"); i.IsRejected("cluster.id") || len(i.Errors("cluster.id")) > 0 || i.Answers().Origin("cluster.id") != wizard.Typed {
		t.Errorf("a valid answer leaves %v", i.Errors("cluster.id"))
	}
}

func TestErrors_MissingAfterLeavingField(t *testing.T) {
	i := newInterview(t, nil)
	if len(i.Errors("cluster.id")) > 0 || len(i.ScreenErrors(wizard.Cluster)) == 0 {
		t.Errorf("before: %v of %v", i.Errors("cluster.id"), i.ScreenErrors(wizard.Cluster))
	}
	if i.Touch("cluster.id"); len(i.Errors("cluster.id")) != 1 || i.Status(wizard.Cluster) != session.Error {
		t.Errorf("after: %v", i.Errors("cluster.id"))
	}
}

func TestScreenErrors_FieldOrderWithoutDuplicates(t *testing.T) {
	i := newInterview(t, nil)
	var keys []string
	for _, problem := range i.ScreenErrors(wizard.Access) {
		keys = append(keys, problem.Field)
	}
	if got := strings.Join(keys, " "); got != "exoscale.zone" && got != "exoscale.apiKey exoscale.apiSecret exoscale.zone" {
		t.Errorf("got %s", got)
	}
}

func TestFields_OfALimitedInterview(t *testing.T) {
	i := newInterview(t, func(i *wizard.Interview) { i.Only = []string{"network"} })
	if len(i.Fields(wizard.Cluster)) > 0 || len(i.Fields(wizard.Network)) == 0 {
		t.Errorf("asked are %d and %d fields", len(i.Fields(wizard.Cluster)), len(i.Fields(wizard.Network)))
	}
	if session.RequestErrors(i.Session); len(i.Fields(wizard.Cluster)) == 0 {
		t.Error("answers with errors are not asked")
	}
	for _, field := range i.Fields(wizard.Network) {
		if i.IsFolded(field) {
			t.Errorf("%s is folded", field.Key)
		}
	}
}

func TestApplySuggestions_FollowAnswers(t *testing.T) {
	i := newInterview(t, nil)
	i.ApplySuggestions(wizard.Cluster)
	version := i.Spec().OpenShift.Version
	if version == "" || i.Answers().Origin("openshift.version") != session.Suggested {
		t.Fatalf("suggested is %q", version)
	}
	if i.set(t, "openshift.distribution", "okd"); i.Spec().OpenShift.Version != "" {
		t.Errorf("for OKD it is %q", i.Spec().OpenShift.Version)
	}
	if i.set(t, "openshift.distribution", "ocp"); i.Spec().OpenShift.Version != version {
		t.Errorf("back again it is %q", i.Spec().OpenShift.Version)
	}
}

func TestLookups_RunOncePerAnswers(t *testing.T) {
	i := newInterview(t, lookup("names", wizard.Cluster, wizard.LookupResult{Summary: "free"}, nil, "cluster.id", "cluster.baseDomain"))
	if ran := i.runLookups(t); ran != "" {
		t.Errorf("without answers %s ran", ran)
	}
	i.set(t, "cluster.id", "c-demo-1", "cluster.baseDomain", "example.net")
	if q := i.Lookups.List()[0]; q.State != session.Due || q.Delay != session.LookupDelay {
		t.Errorf("state %v after %v", q.State, q.Delay)
	}
	if ran := i.runLookups(t); ran != "names" {
		t.Errorf("ran %q", ran)
	}
	i.set(t, "cluster.displayName", "Demo", "cluster.id", "c-demo-1")
	if ran := i.runLookups(t); ran != "" {
		t.Errorf("for the same answers %s ran again", ran)
	}
	i.Refresh()
	if ran := i.runLookups(t); ran != "names" {
		t.Errorf("after a refresh ran %q", ran)
	}
}

func TestLookups_DropsStaleResult(t *testing.T) {
	i := newInterview(t, lookup("names", wizard.Cluster, wizard.LookupResult{Problems: []wizard.Problem{{Field: "cluster.id", Message: "is taken"}}}, nil, "cluster.id"))
	i.set(t, "cluster.id", "c-one")
	q := i.Lookups.List()[0]
	late := i.Lookups.Start(q.ID, q.Generation)
	i.set(t, "cluster.id", "c-two")
	late(t.Context(), func(update func()) { update() })
	if len(i.Errors("cluster.id")) > 0 || i.Lookups.List()[0].State != session.Due {
		t.Errorf("the late result counts: %v", i.Errors("cluster.id"))
	}
	if i.runLookups(t); len(i.Errors("cluster.id")) != 1 || len(session.ListBlocking(i.Session)) == 0 {
		t.Errorf("the new result does not: %v", i.Errors("cluster.id"))
	}
}

func TestLookups_FailureBlocksNothing(t *testing.T) {
	i := newInterview(t, lookup("names", wizard.Cluster, wizard.LookupResult{}, errors.New("no route"), "cluster.id"))
	i.set(t, "cluster.id", "c-one")
	i.runLookups(t)
	if q := i.Lookups.List()[0]; q.State != session.Known || q.Err == nil || i.Status(wizard.Cluster) != session.Warning {
		t.Errorf("state %v, %v, status %v", q.State, q.Err, i.Status(wizard.Cluster))
	}
}

func TestLookups_StopCancelsAndKeepsChoices(t *testing.T) {
	i := newInterview(t, lookup("zones", wizard.Access, wizard.LookupResult{Choices: map[string][]wizard.Choice{"exoscale.zone": {{Value: "ch-gva-2\x1b[31m"}}}}, nil))
	i.runLookups(t)
	i.Lookups.Repeat(func(session.Lookup) bool { return true })
	q := i.Lookups.List()[0]
	work := i.Lookups.Start(q.ID, q.Generation)
	i.Refresh() // somebody has waited long enough
	if q := i.Lookups.List()[0]; !errors.Is(q.Err, session.ErrStopped) {
		t.Errorf("it ended with %v", q.Err)
	}
	work(t.Context(), func(update func()) { update() })
	zone, _ := i.FindField("exoscale.zone")
	if choices := i.Lookups.Choices(zone); len(choices) != 1 || choices[0].Value != "ch-gva-2" {
		t.Errorf("the choices are %v", choices)
	}
}

func TestLookups_FieldlessProblemBlocksScreen(t *testing.T) {
	i := newInterview(t, lookup("zones", wizard.Access, wizard.LookupResult{Problems: []wizard.Problem{{Message: "the organization is suspended"}}}, nil))
	i.runLookups(t)
	problems := i.ScreenErrors(wizard.Access)
	if len(problems) == 0 || problems[len(problems)-1].Message != "the organization is suspended" || i.Status(wizard.Access) != session.Error {
		t.Errorf("got %v", problems)
	}
}

func TestShortages_BlockTheirScreen(t *testing.T) {
	limits := wizard.LookupResult{Quotas: []wizard.Quota{{Resource: "instance", Used: 2, Limit: 10}, {Resource: "sks-cluster", Used: 1, Limit: 1}}}
	i := newInterview(t, func(i *wizard.Interview) {
		lookup("quotas", wizard.Nodes, limits, nil)(i)
		i.Estimate = func(spec state.Spec) wizard.Estimate {
			return wizard.Estimate{Needs: map[string]int{"instance": 9 + spec.Sizing.Workers.Count, "sks-cluster": 1}}
		}
	})
	if len(i.Shortages()) > 0 {
		t.Error("there are shortages without limits")
	}
	i.runLookups(t)
	if i.Shortages()[0].Field != "sizing.workers.count" || len(i.ScreenErrors(wizard.Nodes)) != 2 || i.Status(wizard.Nodes) != session.Error {
		t.Errorf("%v on the screen, of %v", i.ScreenErrors(wizard.Nodes), i.Shortages())
	}
}

func TestSaveSecret_ReferenceBecomesTheAnswer(t *testing.T) {
	i := newInterview(t, nil)
	i.SaveSecret("exoscale.apiSecret", "hidden")
	if saving, _ := i.Saves.Secret("exoscale.apiSecret"); !saving {
		t.Error("it is not being saved")
	}
	i.Saves.Flush()
	path := i.Spec().Exoscale.APISecret.File
	if content, err := os.ReadFile(path); err != nil || string(content) != "hidden" {
		t.Errorf("%s: %q, %v", path, content, err)
	}
	if last := i.saved[len(i.saved)-1]; last.Spec.Exoscale.APISecret.File != path {
		t.Error("the draft does not refer to it")
	}
}

func TestSaves_RetryFailureAtEnd(t *testing.T) {
	full := errors.New("no space left")
	broken := true
	i := newInterview(t, func(i *wizard.Interview) {
		i.Save = func(*wizard.Answers) error {
			if broken {
				return full
			}
			return nil
		}
	})
	i.set(t, "cluster.id", "c-demo-1")
	i.Saves.Flush()
	if _, err := i.Saves.LastSaved(); !errors.Is(err, full) || !errors.Is(i.Close(), full) {
		t.Errorf("ended with %v", err)
	}
	broken = false
	if err := i.Close(); err != nil || i.Interview.Answers.Spec.Cluster.ID != "c-demo-1" {
		t.Errorf("ended with %v", err)
	}
}

func TestSetReference_AccountHasKeyAndSecret(t *testing.T) {
	i := newInterview(t, nil)
	i.Edit("exoscale.apiSecret", func(spec *state.Spec) { spec.Exoscale.APISecret = state.SecretRef{} })
	if err := session.SetReference(i.Session, "exoscale.apiKey", "exo:work"); err != nil {
		t.Fatal(err)
	}
	if spec := i.Spec().Exoscale; spec.APIKey.Exo != "work" || spec.APISecret.Exo != "work" {
		t.Errorf("the answers are %+v and %+v", spec.APIKey, spec.APISecret)
	}
	if problems := session.CheckReference(i.Session, "exoscale.apiKey", "env:NO_SUCH"); len(problems) != 1 {
		t.Errorf("a variable that is not set: %v", problems)
	}
}

func TestSkipCheck_InvalidChangesNothing(t *testing.T) {
	i := newInterview(t, nil)
	for id, reason := range map[string]string{"NET-XX-999": "no such check until 2099-01-31", "NET-RH-002": "x until 2099-02-30", "NET-RH-003": "no day"} {
		if err := session.SkipCheck(i.Session, id, reason); err == nil || len(i.Spec().Checks.Skip) > 0 {
			t.Errorf("%s: %v, skipped %v", id, err, i.Spec().Checks.Skip)
		}
	}
	if err := session.SkipCheck(i.Session, "NET-RH-002", "the firewall, see ticket 7 until 2099-01-31"); err != nil || len(i.Spec().Checks.Skip) != 1 {
		t.Errorf("%v, skipped %v", err, i.Spec().Checks.Skip)
	}
}

func TestGroups_AddAndRemove(t *testing.T) {
	i := newInterview(t, nil)
	for _, name := range []string{"gpu", "batch"} {
		group := session.NewGroup(i.Spec())
		group.Name = name
		if _, err := session.AddGroup(i.Session, group); err != nil {
			t.Fatal(err)
		}
	}
	_ = i.Set("sizing.extraGroups[1].count", "many")
	session.RemoveGroup(i.Session, 0)
	if groups := i.Spec().Sizing.ExtraGroups; len(groups) != 1 || groups[0].Name != "batch" || i.IsRejected("sizing.extraGroups[1].count") {
		t.Errorf("left are %+v", groups)
	}
}

func TestDescribeProblem_NamesFieldsByTheirTitles(t *testing.T) {
	i := newInterview(t, nil)
	w := session.DescribeProblem(i.Session, wizard.Problem{Message: "10.0.0.0/8 overlaps network.podCIDR", Allowed: "e.g. 10.1.0.0/16", Suggestion: "network.podCIDR: 10.200.0.0/14"})
	if w.Message != "10.0.0.0/8 overlaps Pod network" || w.Example != "10.1.0.0/16" || w.Allowed != "" || w.Suggestion != "Pod network: 10.200.0.0/14" {
		t.Errorf("got %+v", w)
	}
	if got, want := session.ReplaceKeys(i.Session, "network.customerNetworks[0] of c-demo-1.example.net"), "Customer networks of c-demo-1.example.net"; got != want {
		t.Errorf("got %q", got)
	}
	if w := session.DescribeProblem(i.Session, wizard.Problem{Message: "is missing"}); !w.Missing {
		t.Errorf("got %+v", w)
	}
}

func TestDescribeBlocker_EveryBlocker(t *testing.T) {
	i := newInterview(t, nil)
	if got := session.DescribeBlocker(i.Session, wizard.Review{}); got != "errors on the screen Access" {
		t.Errorf("got %q", got)
	}
	few := wizard.Review{Quotas: []wizard.QuotaCheck{{Quota: wizard.Quota{Resource: "instance"}}}}
	if got := session.DescribeBlocker(i.Session, few); got != "the quota of instance is too low" {
		t.Errorf("got %q", got)
	}
}

func TestPages_OfALimitedInterview(t *testing.T) {
	i := newInterview(t, func(i *wizard.Interview) { i.Only = []string{"network.podCIDR"} })
	var shown []string
	for _, page := range session.Pages() {
		if session.IsPageShown(i.Session, page) {
			shown = append(shown, session.PageTitle(page))
		}
	}
	if got := strings.Join(shown, ", "); got != "Network and DNS, Checks, Review" {
		t.Errorf("shown are %s", got)
	}
}

func TestSet_DropsRejectedSecret(t *testing.T) {
	i := newInterview(t, nil)
	for key, secret := range map[string]string{"cluster.displayName": "glpat-0123456789abcdefghij", "exoscale.apiKey": "env:EXO0123456789abcdef01234567"} {
		field, _ := i.FindField(key)
		if err := i.Set(key, secret); err == nil || strings.Contains(i.Text(field), "0123456789") || len(i.Errors(key)) == 0 {
			t.Errorf("%s: %v, text %q, errors %v", key, err, i.Text(field), i.Errors(key))
		}
	}
}

func TestLookups_RepeatedWhenOptionalAnswerChanges(t *testing.T) {
	i := newInterview(t, func(i *wizard.Interview) {
		lookup("credentials", wizard.Access, wizard.LookupResult{}, nil)(i)
		i.Lookups[0].Optional = []string{"exoscale.zone"}
	})
	if ran := i.runLookups(t); ran != "credentials" {
		t.Errorf("without the optional answer %q ran", ran)
	}
	if i.set(t, "exoscale.zone", "ch-gva-2"); i.runLookups(t) != "credentials" {
		t.Error("it is not repeated with the optional answer")
	}
}
