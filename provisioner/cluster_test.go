package provisioner_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/provisioner"
)

func stage(state, text, reason string) provisioner.Event {
	return provisioner.Event{Type: provisioner.TypeStage, Name: "bootkube", State: state, Text: text, Reason: reason}
}

func TestBoard_EndedStagesAreUnique(t *testing.T) {
	board := fold(
		stage(provisioner.Started, "api", ""), stage(provisioner.Done, "api", ""),
		stage(provisioner.Started, "etcd", ""), stage(provisioner.Started, "pods", ""),
		stage(provisioner.Failed, "pods", "no pods"),
		stage(provisioner.Started, "api", ""), stage(provisioner.Done, "api", ""),
	)
	if diff := cmp.Diff([]string{"api", "etcd"}, board.Stages[0].Finished); diff != "" || len(board.Stages) != 1 {
		t.Errorf("%d services, finished (-want +got):\n%s", len(board.Stages), diff)
	}
	failed := fold(stage(provisioner.Started, "api", ""), stage(provisioner.Started, "api", ""), stage(provisioner.Failed, "api", "no image")).Stages[0]
	if failed.Reason != "no image" || failed.Stage != "api" || len(failed.Finished) != 0 {
		t.Errorf("%+v", failed)
	}
}

func TestBoard_OperatorKeepsStateTime(t *testing.T) {
	operator := func(state, reason string) provisioner.Event {
		return provisioner.Event{Type: provisioner.TypeOperator, Name: "etcd", State: state, Reason: reason}
	}
	first := *fold(operator("degraded", "a")).Operators[0].Since
	if got := fold(operator("degraded", "a"), operator("degraded", "b")).Operators[0]; !got.Since.Equal(first) || got.Reason != "b" {
		t.Errorf("%+v", got)
	}
	if got := fold(operator("degraded", "a"), operator("stable", "")).Operators[0]; got.Since.Equal(first) {
		t.Error("another state counts from the same time")
	}
}

func finding(rule, state string) provisioner.Event {
	return provisioner.Event{Type: provisioner.TypeDiagnosis, Name: rule, State: state}
}

func TestBoard_FindingsAddedAndRemoved(t *testing.T) {
	board := fold(
		finding("a", provisioner.Present), finding("b", provisioner.Present), finding("a", provisioner.Present),
		finding("a", provisioner.Gone), finding("never", provisioner.Gone),
	)
	if len(board.Findings) != 1 || board.Findings[0].Name != "b" {
		t.Errorf("%+v", board.Findings)
	}
	again := fold(finding("a", provisioner.Present), provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Started})
	if len(again.Findings) != 0 {
		t.Error("a run that goes on begins with what an earlier one found")
	}
}

func TestSortFindings_SurestFirst(t *testing.T) {
	early, late := time.Unix(10, 0), time.Unix(20, 0)
	found := []provisioner.Event{
		{Name: "guess", Confidence: "low", Since: &early}, {Name: "unknown"}, {Name: "late", Confidence: "high", Since: &late},
		{Name: "sure of what comes later", Confidence: "high", Since: &early, Blocks: "control-plane", Order: 3},
		{Name: "guess about what comes first", Confidence: "low", Since: &late, Blocks: "control-plane", Order: 1},
		{Name: "maybe", Confidence: "medium", Since: &early}, {Name: "early", Confidence: "high", Since: &early},
	}
	var order []string
	for _, finding := range provisioner.SortFindings(found) {
		order = append(order, finding.Name)
	}
	if diff := cmp.Diff([]string{"guess about what comes first", "sure of what comes later", "early", "late", "maybe", "guess", "unknown"}, order); diff != "" || found[0].Name != "guess" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBoard_EtcdGrowth(t *testing.T) {
	held := members("boot", "a")
	held.Reason = "two members are missing"
	board := fold(members("boot"), held)
	if board.EtcdHeld != held.Reason || len(board.EtcdTimes) != 2 || !board.EtcdTimes[1].After(board.EtcdTimes[0]) {
		t.Errorf("held %q, times %v", board.EtcdHeld, board.EtcdTimes)
	}
}

func TestBoard_ThousandNodes(t *testing.T) {
	board := fold(crowd()...)
	if len(board.Nodes) != 1000 || len(board.CSRs) != 2000 || len(board.Operators) != 33 || len(board.Objects) != 1000 {
		t.Errorf("%d nodes, %d requests, %d operators, %d objects", len(board.Nodes), len(board.CSRs), len(board.Operators), len(board.Objects))
	}
	for i, node := range board.Nodes {
		if node.Name != fmt.Sprintf("worker-%d", i) || node.State != "Ready" {
			t.Fatalf("at %d is %+v", i, node)
		}
	}
}

func crowd() []provisioner.Event {
	var events []provisioner.Event
	for i := range 1000 {
		name := fmt.Sprintf("worker-%d", i)
		events = append(events, provisioner.Event{Type: provisioner.TypeObject, Kind: "instance", Name: name, Action: "created"})
		for _, state := range []string{"Booting", "NotReady", "Ready"} {
			events = append(events, provisioner.Event{Type: provisioner.TypeNode, Name: name, State: state})
		}
		for _, kind := range []string{"client", "serving"} {
			events = append(events, provisioner.Event{Type: provisioner.TypeCSR, Name: name + kind, Node: name, Decision: "approved"})
		}
		for _, state := range []string{"progressing", "stable"} {
			events = append(events, provisioner.Event{Type: provisioner.TypeOperator, Name: fmt.Sprint("operator-", i%33), State: state})
		}
		events = append(events,
			provisioner.Event{Type: provisioner.TypeWait, Step: "etcd", Last: name},
			provisioner.Event{Type: provisioner.TypeStep, Step: fmt.Sprint("step-", i%50), State: provisioner.Progress, Text: name})
	}
	return events
}

// BenchmarkFold folds ten thousand events; the limit is 50 ms.
func BenchmarkFold(b *testing.B) {
	events := crowd()
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for b.Loop() {
		board := provisioner.NewBoard(nil)
		for i := range events {
			events[i].Time = at
			board.Fold(events[i])
		}
	}
	b.ReportMetric(float64(len(events)), "events/op")
}

func TestStepView_OmitFindings(t *testing.T) {
	findings := []provisioner.Event{{Text: "the port is closed", Hint: "open it"}, {Text: "the disk is slow"}}
	step := provisioner.StepView{Text: "gave up after 45m" + provisioner.LikelyCause + "the port is closed", Hint: "open it"}
	if got := step.OmitFindings(findings); got.Text != "gave up after 45m" || got.Hint != "" {
		t.Errorf("beside its findings: %q, %q", got.Text, got.Hint)
	}
	if got := step.OmitFindings(findings[1:]); got.Text != step.Text || got.Hint != step.Hint {
		t.Errorf("beside others: %q, %q", got.Text, got.Hint)
	}
}
