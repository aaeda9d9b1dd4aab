package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/changes"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/interview"
	"exoshift/internal/app/rehearsal"
	"exoshift/internal/app/request"
	"exoshift/provisioner"
	"exoshift/state"
	tuiwizard "exoshift/tui/wizard"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

// atHome sets an empty home directory, and returns the path of its clusters.
func atHome(t *testing.T) (clusters string) {
	t.Helper()
	home := t.TempDir()
	for _, variable := range os.Environ() { // of the user who runs the tests
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "EXOSHIFT_") || strings.HasPrefix(name, "EXOSCALE_") {
			t.Setenv(name, "")
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	return filepath.Join(home, "state", "exoshift")
}

// titles are the start options, by the first part of their IDs.
func titles(t *testing.T, o cli.Options) []string {
	t.Helper()
	offered, err := listStartOptions(o, cli.Streams{})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, one := range offered {
		kind, _, _ := strings.Cut(one.ID, ":")
		all = append(all, kind+": "+one.Title)
	}
	return all
}

func TestStartScreen_OffersExisting(t *testing.T) {
	clusters := atHome(t)
	fresh := []string{"new: A new cluster", "rehearse: Rehearse first", "check: Check only", "leave: Quit"}
	if got := titles(t, cli.Options{}); !slices.Equal(got, fresh) {
		t.Errorf("offered %q", got)
	}
	c, err := interview.NewLive(t.Context(), request.Request{})
	if err != nil {
		t.Fatal(err)
	}
	i := c.NewInterview()
	err = errors.Join(i.Answers.Set("cluster.id", "c-draft", wizard.Typed), i.Answers.Set("exoscale.zone", "ch-gva-2", wizard.Typed), i.Save(i.Answers), c.Close())
	if err != nil {
		t.Fatal(err)
	}
	begun(t, filepath.Join(clusters, "c-stopped"), state.Facts{ClusterID: "c-stopped"})
	begun(t, filepath.Join(clusters, "c-whole"), state.Facts{ClusterID: "c-whole", Installed: time.Now()})
	begun(t, filepath.Join(clusters, "c-gone"), state.Facts{ClusterID: "c-gone", Destroyed: time.Now()})
	begun(t, filepath.Join(clusters, "c-played"), state.Facts{ClusterID: "c-played", Rehearsal: true})
	got := titles(t, cli.Options{})
	want := []string{
		"draft: Continue c-draft · ch-gva-2 (", "folder: Resume the installation of c-stopped, stopped in bootstrap",
		"folder: Show c-whole, which is installed", "new:", "rehearse:", "check:", "destroy: Destroy c-stopped", "destroy: Destroy c-whole", "leave:",
	}
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("offered\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if elsewhere := titles(t, cli.Options{Request: request.Request{Dir: t.TempDir()}}); !slices.Equal(elsewhere, fresh) {
		t.Errorf("in another folder: %q", elsewhere)
	}
}

// begun creates the folder of an installation that was stopped in the bootstrap.
func begun(t *testing.T, path string, facts state.Facts) {
	t.Helper()
	folder, err := state.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	spec := exampleSpec(t)
	spec.Cluster.ID = facts.ClusterID
	var events bytes.Buffer
	for _, line := range []string{
		`{"v":1,"seq":1,"type":"run","state":"started"}`, `{"v":1,"seq":2,"type":"step","step":"credentials","state":"done"}`,
		`{"v":1,"seq":3,"type":"step","step":"bootstrap-machine","phase":"bootstrap","state":"failed"}`,
	} {
		events.WriteString(line + "\n")
	}
	err = errors.Join(folder.SaveFacts(facts), folder.Write(state.AnswersFile, answersfile.Export(spec, nil)), folder.Write(state.EventsFile, events.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
}

func exampleSpec(t *testing.T) state.Spec {
	t.Helper()
	spec, _ := exampleAlone(t)
	return spec
}

func TestStartScreen_ResumesDraft(t *testing.T) {
	atHome(t)
	c, err := interview.NewLive(t.Context(), request.Request{})
	if err != nil {
		t.Fatal(err)
	}
	i := c.NewInterview()
	reference, err := i.SaveSecret("exoscale.apiSecret", "s3cret")
	err = errors.Join(err, i.Answers.Set("cluster.id", "c-1", wizard.Typed), i.Answers.Set("exoscale.apiSecret", reference, wizard.Typed), i.Save(i.Answers))
	if err != nil {
		t.Fatal(err)
	}
	var held *state.LockedError
	if _, err := interview.Resume(t.Context(), request.Request{}, c.Draft); !errors.As(err, &held) || exit.Code(err) != exit.Locked {
		t.Errorf("a draft that is held is opened with %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := interview.Resume(t.Context(), request.Request{}, c.Draft)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	if got := again.Answers; got.Spec.Cluster.ID != "c-1" || got.Origin("cluster.id") != wizard.Typed || "file:"+got.Spec.Exoscale.APISecret.File != reference {
		t.Errorf("it goes on with %+v", got)
	}
}

func TestInterview_UnansweredLeavesNoDraft(t *testing.T) {
	clusters := atHome(t)
	var out bytes.Buffer
	d := &startScreen{
		std: cli.Streams{Out: &out}, open: func(ctx context.Context) (*interview.Backend, error) {
			return interview.NewLive(ctx, request.Request{})
		},
		frontend: func(ctx context.Context, w tuiwizard.Options) (tuiwizard.Outcome, error) {
			_, err := w.Open(ctx, "")
			return tuiwizard.Outcome{}, err
		},
	}
	if err := d.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Join(clusters, ".drafts")); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	if text := out.String(); strings.Contains(text, "Go on") {
		t.Errorf("told %q", text)
	}
}

func TestInterview_AsksOpenOnly(t *testing.T) {
	atHome(t)
	answers := filepath.Join(t.TempDir(), "answers.yaml")
	content := strings.Replace(string(answersfile.Export(exampleSpec(t), nil)), "  id: c-demo-1\n", "", 1) + "ask: [sizing.workers.count]\n"
	if err := os.WriteFile(answers, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	o := cli.NewOptions(request.Request{Answers: answers}, cli.OutputTUI)
	read, err := o.ReadAnswers(cli.Streams{Err: os.Stderr}, environment.LookupRehearsalSecret)
	if err != nil {
		t.Fatal(err)
	}
	c, err := interview.NewPartial(t.Context(), o.Request, read)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if i := c.NewInterview(); !slices.Equal(i.Only, []string{"cluster.id", "sizing.workers.count"}) || i.Answers.Spec.Cluster.BaseDomain != "example.net" {
		t.Errorf("asks %v of %+v", i.Only, i.Answers.Spec.Cluster)
	}
	var output bytes.Buffer
	if err := installAnswered(t.Context(), cli.Options{Output: cli.OutputPlain}, cli.Streams{Err: &output}, read); exit.Code(err) != exit.Usage || !strings.Contains(output.String(), "cluster.id") {
		t.Errorf("without a terminal it ends with %v: %s", err, output.String())
	}
}

func TestInterview_ChangedAnswers(t *testing.T) {
	atHome(t)
	for name, c := range map[string]struct {
		change  func(*state.Spec)
		touched bool
		says    string
		code    int
	}{
		"nothing":                     {change: func(*state.Spec) {}, touched: true},
		"what can be changed":         {change: func(s *state.Spec) { s.Sizing.Workers.Count = 5 }, touched: true, says: "sizing.workers.count: 5, was 3 (install adds; the rest is refused)"},
		"what needs a rebuild":        {change: func(s *state.Spec) { s.Network.PodCIDR = "10.64.0.0/14" }, touched: true, says: "network.podCIDR: 10.64.0.0/14, was 10.128.0.0/14 (needs rebuild)", code: exit.Answers},
		"before anything was created": {change: func(s *state.Spec) { s.Network.PodCIDR = "10.64.0.0/14" }},
	} {
		t.Run(name, func(t *testing.T) {
			folder, err := state.Create(filepath.Join(t.TempDir(), "cluster"))
			if err != nil {
				t.Fatal(err)
			}
			spec := exampleSpec(t)
			if err := folder.Write(state.AnswersFile, answersfile.Export(spec, nil)); err != nil {
				t.Fatal(err)
			}
			if c.touched {
				if err := folder.Write(state.JournalFile, []byte(`{"kind":"ssh-key","name":"c-demo-1-admin"}`+"\n")); err != nil {
					t.Fatal(err)
				}
			}
			c.change(&spec)
			var output bytes.Buffer
			err = changes.Check(folder, spec, jsonDisplay(cli.Streams{Err: &output}).ShowAnswers)
			if exit.Code(err) != c.code || !strings.Contains(output.String(), c.says) || c.says == "" && output.Len() > 0 {
				t.Errorf("ended with %v and said %s", err, output.String())
			}
		})
	}
}

func TestEstimateMinutes_LongestPath(t *testing.T) {
	plan := provisioner.Plan{
		{ID: "a", Usual: 4 * time.Minute}, {ID: "b", Usual: 10 * time.Minute}, {ID: "c", Needs: []string{"a"}, Usual: 8 * time.Minute}, {ID: "d", Needs: []string{"a", "b"}},
	}
	if got := interview.EstimateMinutes(plan); got != [2]int{5, 15} {
		t.Errorf("it takes %v", got)
	}
}

func TestInterview_ReportsUnusableFound(t *testing.T) {
	atHome(t)
	pull, _ := environment.DefaultSecret("EXOSHIFT_PULL_SECRET")
	if err := os.WriteFile(filepath.Join(os.Getenv("HOME"), "pull-secret.txt"), []byte(pull), 0o644); err != nil { //nolint:gosec // open to all
		t.Fatal(err)
	}
	c, err := interview.NewLive(t.Context(), request.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if unused := c.NewInterview().ListUnused(c.Answers.Spec); len(unused) != 1 || unused[0].Field != "openshift.pullSecret" {
		t.Errorf("told of %v", unused)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestRehearsal_DraftStaysRehearsal(t *testing.T) {
	atHome(t)
	dir := filepath.Join(t.TempDir(), "cluster")
	c, err := interview.NewRehearsal(t.Context(), rehearsal.Rehearsal{Request: request.Request{Dir: dir}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.NewInterview().Save(c.Answers), c.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := interview.NewLive(t.Context(), request.Request{Dir: dir}); exit.Code(err) != exit.Usage {
		t.Errorf("opened for real with %v", err)
	}
	if again, err := interview.NewRehearsal(t.Context(), rehearsal.Rehearsal{Request: request.Request{Dir: dir}}); err != nil || again.Answers.Origin("openshift.sshKey") != interview.RehearsalOrigin || again.Close() != nil {
		t.Errorf("it does not go on: %v", err)
	}
	other := filepath.Join(t.TempDir(), "cluster")
	if c, err = interview.NewLive(t.Context(), request.Request{Dir: other}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.NewInterview().Save(c.Answers), c.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := interview.NewRehearsal(t.Context(), rehearsal.Rehearsal{Request: request.Request{Dir: other}}); exit.Code(err) != exit.Usage {
		t.Errorf("a real draft is rehearsed with %v", err)
	}
}

func TestRehearsal_AsksOpenAnswers(t *testing.T) {
	atHome(t)
	answers := filepath.Join(t.TempDir(), "answers.yaml")
	content := string(answersfile.Export(exampleSpec(t), nil)) + "ask: [cluster.id]\n"
	if err := os.WriteFile(answers, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	r := rehearsal.Rehearsal{Request: request.Request{Answers: answers}, Speed: 1, Scenario: "happy"}
	read, err := cli.Options{Request: r.Request}.ReadAnswers(cli.Streams{Err: os.Stderr}, environment.LookupRehearsalSecret)
	if err != nil {
		t.Fatal(err)
	}
	r.Loaded = &read
	c, err := interview.NewRehearsal(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if i := c.NewInterview(); !slices.Equal(i.Only, []string{"cluster.id"}) || !i.Rehearsal || i.Answers.Spec.Cluster.BaseDomain != "example.net" {
		t.Errorf("asks %v of %+v", i.Only, i.Answers.Spec.Cluster)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(c.Draft.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its temporary folder is left: %v", err)
	}
}

func TestReview_NamesManualActions(t *testing.T) {
	spec := exampleSpec(t)
	if got := interview.ListManualActions(spec); len(got) != 1 || !strings.Contains(got[0], "NS records") {
		t.Errorf("asks for %q", got)
	}
	spec.DNS.AppsDomain = "apps.example.org"
	if got := interview.ListManualActions(spec); len(got) != 2 || !strings.Contains(got[1], "*.apps.example.org") {
		t.Errorf("asks for %q", got)
	}
}

func TestFormatAge_Short(t *testing.T) {
	for d, want := range map[time.Duration]string{5 * time.Second: "just now", 3 * time.Minute: "3 min ago", 30 * time.Hour: "30 h ago", 72 * time.Hour: "3 days ago"} {
		if got := formatAge(d); got != want {
			t.Errorf("%s is told as %q, want %q", d, got, want)
		}
	}
}
