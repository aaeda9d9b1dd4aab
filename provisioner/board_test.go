package provisioner_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/provisioner"
)

func fold(events ...provisioner.Event) *provisioner.Board {
	board := provisioner.NewBoard(provisioner.Plan{{ID: "etcd", Title: "Wait for etcd", Phase: "control-plane"}})
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, e := range events {
		at = at.Add(time.Second)
		e.Time = at
		board.Fold(e)
	}
	return board
}

func members(names ...string) provisioner.Event {
	e := provisioner.Event{Type: provisioner.TypeEtcd}
	for _, name := range names {
		e.Members = append(e.Members, provisioner.Member{Name: name, State: "voter"})
	}
	return e
}

func TestBoard_EtcdHistoryIsUnique(t *testing.T) {
	board := fold(members("boot"), members("boot"), members("boot", "a"), members("boot", "b"), members("a"))
	if diff := cmp.Diff([]int{1, 2, 1}, board.EtcdTrail); diff != "" {
		t.Error(diff)
	}
}

func TestBoard_WaitEndsWithStep(t *testing.T) {
	begun := []provisioner.Event{
		{Type: provisioner.TypeStep, Step: "etcd", State: provisioner.Started, Text: "Wait for etcd"},
		{Type: provisioner.TypeWait, Step: "etcd", Last: "3 of 4"},
	}
	if wait := fold(begun...).Steps[0].Wait; wait == nil || wait.Last != "3 of 4" {
		t.Errorf("waiting for %v", wait)
	}
	ended := fold(append(begun, provisioner.Event{Type: provisioner.TypeStep, Step: "etcd", State: provisioner.Failed, Text: "gave up", Hint: "retry"})...).Steps[0]
	if ended.Wait != nil || ended.Text != "gave up" || ended.Hint != "retry" || ended.State != provisioner.Failed {
		t.Errorf("%+v", ended)
	}
}

func TestBoard_ResumedRunResetsSteps(t *testing.T) {
	board := fold(
		provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Started},
		provisioner.Event{Type: provisioner.TypeStep, Step: "etcd", State: provisioner.Failed},
		provisioner.Event{Type: provisioner.TypeNode, Name: "master-0", State: "Ready"},
		provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Started},
	)
	if step := board.Steps[0]; step.State != "" || step.Title != "Wait for etcd" {
		t.Errorf("%+v", step)
	}
	if len(board.Nodes) != 1 {
		t.Errorf("nodes: %v", board.Nodes)
	}
}

func TestBoard_NodeKeepsStateTime(t *testing.T) {
	node := func(state, reason string) provisioner.Event {
		return provisioner.Event{Type: provisioner.TypeNode, Name: "master-0", State: state, Reason: reason}
	}
	first := fold(node("NotReady", "a")).Nodes[0].At
	if got := fold(node("NotReady", "a"), node("NotReady", "b")).Nodes[0]; !got.At.Equal(first) || got.Reason != "b" {
		t.Errorf("%+v", got)
	}
	if got := fold(node("NotReady", "a"), node("Ready", "")).Nodes[0]; got.At.Equal(first) {
		t.Errorf("%+v", got)
	}
}

func TestBoard_LogIsBounded(t *testing.T) {
	board := fold(make([]provisioner.Event, 3*provisioner.LogLength)...)
	if n := len(board.Log); n < provisioner.LogLength || n > 2*provisioner.LogLength {
		t.Errorf("%d events are remembered", n)
	}
}

func TestBoard_JournalLinesKeepEvents(t *testing.T) {
	events := []provisioner.Event{{Type: provisioner.TypeNode, Name: "master-0"}}
	for range 3 * provisioner.LogLength {
		events = append(events, provisioner.Event{Type: provisioner.TypeJournal, Name: "bootkube"})
	}
	board := fold(events...)
	if len(board.Log) != 1 || len(board.Journal) != provisioner.JournalLength {
		t.Errorf("%d events and %d lines are remembered", len(board.Log), len(board.Journal))
	}
}

func TestBoard_WaitKeepsFirstTime(t *testing.T) {
	wait := func(last string) provisioner.Event {
		return provisioner.Event{Type: provisioner.TypeWait, Step: "etcd", Last: last}
	}
	first := fold(wait("a")).Steps[0].Seen
	if got := fold(wait("a"), wait("a")).Steps[0].Seen; !got.Equal(first) {
		t.Errorf("a repetition counts from %v", got)
	}
	if got := fold(wait("a"), wait("b")).Steps[0].Seen; got.Equal(first) {
		t.Error("news does not count anew")
	}
}

// A record of many verbs is read from its beginning: what an earlier one saw says nothing about the cluster now.
func TestBoard_VerbBeginsAnew(t *testing.T) {
	b := provisioner.NewBoard(nil)
	begin := func(step string) {
		b.Fold(provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Started, Verb: "nodes remove", Steps: []provisioner.PlannedStep{{ID: step, Title: step, Usual: 90}}})
	}
	begin("cordon-worker-0")
	b.Fold(provisioner.Event{Type: provisioner.TypeNode, Name: "worker-0", State: provisioner.NodeRemoved})
	b.Fold(provisioner.Event{Type: provisioner.TypeTarget, Name: "worker-0", State: provisioner.TargetRemoved})
	b.Fold(provisioner.Event{Type: provisioner.TypeEtcd, Members: []provisioner.Member{{Name: "master-0", State: "voter"}}})
	b.Fold(provisioner.Event{Type: provisioner.TypePool, Name: "worker", State: provisioner.PoolDegraded})
	b.Fold(provisioner.Event{Type: provisioner.TypeCeph, State: "HEALTH_WARN"})
	begin("cordon-worker-1")
	if len(b.Steps) != 1 || b.Steps[0].ID != "cordon-worker-1" || b.Steps[0].Usual != 90*time.Second {
		t.Errorf("the steps are %+v", b.Steps)
	}
	if len(b.Nodes)+len(b.Targets)+len(b.Etcd)+len(b.EtcdTrail)+len(b.Pools) > 0 || b.Ceph != nil {
		t.Errorf("something of the earlier run is left: %+v", b)
	}
	b.Fold(provisioner.Event{Type: provisioner.TypeTarget, Name: "worker-1", State: provisioner.TargetWaiting})
	if len(b.Targets) != 1 || len(b.Log) != 8 {
		t.Errorf("%d targets, %d events", len(b.Targets), len(b.Log))
	}
}

// An addition of nodes goes on with the installation: what is known of that stays, and only the verb's own nodes are forgotten.
func TestBoard_VerbWithoutStepsGoesOn(t *testing.T) {
	b := provisioner.NewBoard(provisioner.Plan{{ID: "machines", Title: "Create the machines"}})
	begin := func(verb string) {
		b.Fold(provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Started, Verb: verb})
	}
	begin("")
	b.Fold(provisioner.Event{Type: provisioner.TypeEtcd, Members: []provisioner.Member{{Name: "master-0", State: "voter"}}})
	begin("nodes add")
	b.Fold(provisioner.Event{Type: provisioner.TypeTarget, Name: "worker-3", State: provisioner.TargetAdding})
	if b.Verb != "nodes add" || len(b.Steps) != 1 || len(b.Etcd) != 1 || len(b.Targets) != 1 {
		t.Errorf("an addition: %+v", b)
	}
	begin("")
	if b.Verb != "" || len(b.Targets) > 0 || len(b.Etcd) != 1 {
		t.Errorf("the installation after it: %+v", b)
	}
}
