package fleet

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/internal/app/exit"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/state/lease"
	"exoshift/state/shared"
	"exoshift/state/upgrade"
)

func TestParseSelector(t *testing.T) {
	for text, want := range map[string]Selector{
		"stage=prod": {"stage": "prod"}, "stage==prod": {"stage": "prod"}, "a=1, b=2": {"a": "1", "b": "2"}, "example.net/a=x": {"example.net/a": "x"},
		"stage": nil, "=x": nil, "a=": nil, "a=1,a=2": nil, "": nil, "a=1,": nil,
	} {
		got, err := ParseSelector([]string{text})
		if want == nil && exit.Code(err) != exit.Usage || want != nil && (err != nil || !reflect.DeepEqual(got, want)) {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	if both := (Selector{"a": "1", "b": "2"}); both.Matches(map[string]string{"a": "1"}) || !both.Matches(map[string]string{"a": "1", "b": "2", "c": "3"}) {
		t.Error("not all labels are required, or others are refused")
	}
}

// TestCluster_JSON: the names are what programs rely on.
func TestCluster_JSON(t *testing.T) {
	content, err := json.Marshal(newCluster(shared.Status{ID: "c-1", Counter: 1}, time.Now()))
	want := `{"id":"c-1","zone":"","version":"","phase":"new","run":{"state":"","holder":"","since":null},"nodes_ready":0,"nodes":0,` +
		`"findings":[],"drift":null,"cost_month":0,"last_success":null,"updates":null}`
	if err != nil || string(content) != want {
		t.Errorf("%s, %v; want\n%s", content, err, want)
	}
}

func newStatus(verb string, runState string) shared.Status {
	holder := lease.Holder{Run: "R", Verb: verb, User: "anna", Host: "laptop"}
	return shared.Status{ID: "c-1", Counter: 7, Summary: &shared.Summary{
		Phase: PhaseInstalled, Nodes: 3, NodesReady: 3, Run: shared.RunSummary{State: runState, Holder: &holder},
	}}
}

func TestCluster_Faults(t *testing.T) {
	now, yes, no := time.Now(), true, false
	held := func(run string, ago time.Duration) *lease.Record {
		return &lease.Record{Holder: &lease.Holder{Run: run}, Renewed: now.Add(-ago)}
	}
	for name, c := range map[string]struct {
		change func(*shared.Status)
		want   []string // beginnings
	}{
		"after an installation": {func(*shared.Status) {}, nil},
		"after another verb":    {func(s *shared.Status) { s.Summary.Run.Holder.Verb = "emergency" }, []string{"whether it has drifted was never checked"}},
		"checked after another verb": {func(s *shared.Status) {
			s.Summary.Run.Holder.Verb, s.Check = "emergency", &shared.Check{Counter: 5, Drift: &no}
		}, nil},
		"drifted since":   {func(s *shared.Status) { s.Check = &shared.Check{Counter: 7, Drift: &yes} }, []string{"it has drifted"}},
		"drifted before":  {func(s *shared.Status) { s.Check = &shared.Check{Counter: 6, Drift: &yes} }, nil},
		"a failed run":    {func(s *shared.Status) { s.Summary.Run.State, s.Summary.Phase = shared.RunFailed, "nodes" }, []string{"the last run ended as failed", "it is not installed: its phase is nodes", "whether it"}},
		"a running run":   {func(s *shared.Status) { s.Summary.Run.State, s.Lease = shared.RunRunning, held("R", time.Minute) }, []string{"a run works on it: anna@laptop", "whether it"}},
		"a lost run":      {func(s *shared.Status) { s.Summary.Run.State, s.Lease = shared.RunRunning, held("R", time.Hour) }, []string{"the last run ended as lost", "whether it"}},
		"an unlocked run": {func(s *shared.Status) { s.Summary.Run.State, s.Lease = shared.RunRunning, &lease.Record{} }, []string{"the last run ended as lost", "whether it"}},
		"a missing node":  {func(s *shared.Status) { s.Summary.NodesReady = 2 }, []string{"2 of 3 nodes are ready"}},
		"polled since": {func(s *shared.Status) {
			s.Check = &shared.Check{Counter: 8, Polled: true, Nodes: 3, NodesReady: 1, Degraded: []string{"dns"}}
		}, []string{"1 of 3 nodes", "operator dns is degraded"}},
		"it can be updated": {func(s *shared.Status) {
			s.Check = &shared.Check{Counter: 8, Polled: true, Nodes: 3, NodesReady: 3, Updates: []upgrade.Update{{Version: "4.20.99", Recommended: true}}}
		}, nil},
		"polled before":    {func(s *shared.Status) { s.Check = &shared.Check{Counter: 6, Polled: true, Nodes: 3, NodesReady: 1} }, nil},
		"a finding":        {func(s *shared.Status) { s.Summary.Findings = []string{"dns-record-changed: x"} }, []string{"dns-record-changed"}},
		"of somebody else": {func(s *shared.Status) { s.Err = fault.Newf(fault.Invalid, "read", "tampered") }, []string{"read: tampered"}},
	} {
		status := newStatus(VerbInstall, shared.RunOK)
		c.change(&status)
		got := newCluster(status, now).ListFaults()
		if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestGate(t *testing.T) {
	good := newCluster(newStatus(VerbInstall, shared.RunOK), time.Now())
	bad := newCluster(newStatus(VerbInstall, shared.RunFailed), time.Now())
	gone := Cluster{ID: "c-gone", Phase: PhaseDestroyed}
	for code, clusters := range map[int][]Cluster{
		exit.OK: {good, gone}, exit.Checks: {good, bad}, exit.Usage: {gone},
	} {
		if got := exit.Code(CheckGate(clusters).Err()); got != code {
			t.Errorf("exit code %d, want %d", got, code)
		}
	}
}

const answers = `apiVersion: exoshift/v1alpha1
kind: Cluster
cluster: {id: c-demo-1, baseDomain: example.net, labels: {stage: prod}}
exoscale: {zone: ch-gva-2}
openshift:
  version: 4.20.5
  pullSecret: {env: EXOSHIFT_PULL_SECRET}
  sshKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGUfTVdlCqxn8T2V0vCsrz1Iia0d3xHTKYYPKFTPKl+V demo
`

func TestSummarizer_FollowsRun(t *testing.T) {
	folder, err := state.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	holder := lease.Holder{Run: "R", Verb: VerbInstall}
	s := NewRunSummarizer(folder, holder, shared.RunSummary{State: shared.RunFailed})
	if got := s.Summarize(); got.Run.State != shared.RunRunning || got.Phase != PhaseNew || got.CostMonth != 0 {
		t.Errorf("before the answers: %+v", got)
	}
	if err := folder.Write(state.AnswersFile, []byte(answers)); err != nil {
		t.Fatal(err)
	}
	record, err := os.OpenFile(folder.Path(state.EventsFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer record.Close()
	at := time.Date(2026, 5, 4, 14, 0, 0, 0, time.UTC)
	emit := func(events ...provisioner.Event) shared.Summary {
		for _, event := range events {
			event.Time = at
			if err := json.NewEncoder(record).Encode(event); err != nil {
				t.Fatal(err)
			}
		}
		return s.Summarize()
	}
	first := emit(provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Started})
	if first.Phase != "preflight" || first.Labels["stage"] != "prod" || first.Zone != "ch-gva-2" || first.Nodes != 13 || first.CostMonth == 0 {
		t.Errorf("at the beginning: %+v", first)
	}
	if _, err := record.WriteString(`{"type":"node","na`); err != nil { // it is being written
		t.Fatal(err)
	}
	if got := s.Summarize(); got.NodesReady != 0 {
		t.Errorf("of half a line: %+v", got)
	}
	if _, err := record.WriteString(`me":"master-0","state":"Ready"}` + "\n"); err != nil {
		t.Fatal(err)
	}
	found := emit(provisioner.Event{Type: provisioner.TypeDiagnosis, State: provisioner.Present, Name: "dns-record-changed", Text: "it is another one"},
		provisioner.Event{Type: provisioner.TypeOperator, Name: "dns", State: "degraded"})
	if found.NodesReady != 1 || len(found.Findings) != 1 || !slices.Equal(found.Degraded, []string{"dns"}) {
		t.Errorf("in the middle: %+v", found)
	}
	emit(provisioner.Event{Type: provisioner.TypeDiagnosis, State: provisioner.Gone, Name: "dns-record-changed"},
		provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Finished, Result: "ok"})
	s.End(exit.OK)
	last := s.Summarize()
	if last.Phase != PhaseInstalled || last.Run.State != shared.RunOK || len(last.Findings) > 0 || !last.LastSuccess.Equal(at) {
		t.Errorf("at the end: %+v", last)
	}
	if later := NewSummarizer(folder).Summarize(); later.Run.State != shared.RunOK || later.NodesReady != 1 {
		t.Errorf("of the folder alone: %+v", later)
	}
}

// TestSummarizer_RefusedRun: a run that was refused before it recorded anything is not the last run of its cluster.
func TestSummarizer_RefusedRun(t *testing.T) {
	before := shared.RunSummary{State: shared.RunOK, Holder: &lease.Holder{Run: "A", Verb: VerbInstall}}
	for name, c := range map[string]struct {
		code   int
		record string
		want   shared.RunSummary
	}{
		"refused":                 {code: exit.Usage, want: before},
		"interrupted at a prompt": {code: exit.Interrupted, want: before},
		"failed":                  {code: exit.Infra, record: state.EventsFile, want: shared.RunSummary{State: shared.RunFailed, Holder: &lease.Holder{Run: "B", Verb: VerbDestroy}}},
		"failed after a change":   {code: exit.Teardown, record: state.JournalFile, want: shared.RunSummary{State: shared.RunFailed, Holder: &lease.Holder{Run: "B", Verb: VerbDestroy}}},
	} {
		t.Run(name, func(t *testing.T) {
			folder, err := state.Create(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			s := NewRunSummarizer(folder, lease.Holder{Run: "B", Verb: VerbDestroy}, before)
			if got := s.Summarize().Run; got.State != shared.RunRunning || got.Holder.Run != "B" {
				t.Errorf("meanwhile: %+v", got)
			}
			if c.record != "" {
				if err := folder.Write(c.record, []byte("{}\n")); err != nil {
					t.Fatal(err)
				}
			}
			s.End(c.code)
			if got := s.Summarize().Run; !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s by %+v, want %s by %+v", got.State, got.Holder, c.want.State, c.want.Holder)
			}
		})
	}
}
