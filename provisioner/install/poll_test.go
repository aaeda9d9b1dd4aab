package install

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/diagnosis"
	"exoshift/state"
)

// oracle is a cluster with a given snapshot.
type oracle struct {
	Cluster
	seen     state.Snapshot
	failure  error
	approved int
}

func (o *oracle) Poll(context.Context, netip.Addr, []state.ExpectedNode) (state.Snapshot, error) {
	return o.seen, o.failure
}

func (o *oracle) Approve(context.Context) ([]state.CSRDecision, error) {
	o.approved++
	return nil, nil
}

// sky is an empty cloud.
type sky struct{ Cloud }

func (sky) ListInstances(context.Context, map[string]string) ([]state.Instance, error) {
	return nil, nil
}

func (sky) ListMissingRules(context.Context, state.SecurityGroup) ([]state.Rule, error) {
	return nil, nil
}

func watching(cluster *oracle) *Installation {
	return withFacts(spec(), Options{}, state.Folder{}, Clients{Cluster: cluster, Cloud: sky{}, Clock: &hasty{now: time.Now()}}, state.Facts{}, func(state.Facts) error { return nil })
}

func ignored(provisioner.Event) {}

func TestNodesDoNotWaitForCertificatesUntilEverythingElseIsSeen(t *testing.T) {
	cluster := &oracle{failure: fault.Newf(fault.Transient, "list pods", "cut")}
	cluster.seen.Requests = []state.NodeRequest{{Name: "csr-1", State: state.RequestPending}}
	if _, err := watching(cluster).pollOnce(t.Context(), ignored); !fault.Is(err, fault.Transient) {
		t.Errorf("error %v", err)
	}
	if cluster.approved != 1 {
		t.Error("what may be approved was not, because something else was not seen")
	}
}

func TestAVersionWithoutOperatorsIsNotBelieved(t *testing.T) {
	cluster := &oracle{seen: state.Snapshot{Version: state.VersionStatus{Version: "4.20.5", Available: true, Percent: 100}}}
	if err := watching(cluster).waitClusterVersion()(t.Context(), ignored); err == nil {
		t.Error("the cluster counts as installed although no operator was seen")
	}
	cluster.seen.Version.Total = 1
	if err := watching(cluster).waitClusterVersion()(t.Context(), ignored); err != nil {
		t.Error(err)
	}
}

// flaky is a cluster with progress until it is done; every second poll of it fails.
type flaky struct {
	oracle
	clock *hasty
	looks int
	done  int // polls until it is done
}

func (f *flaky) Poll(context.Context, netip.Addr, []state.ExpectedNode) (state.Snapshot, error) {
	if f.looks++; f.looks%2 == 0 {
		return state.Snapshot{}, fault.Newf(fault.Transient, "list nodes", "cut")
	}
	seen := state.Snapshot{At: f.clock.now}
	for range f.looks / 100 {
		seen.Bootstrap.Reached = append(seen.Bootstrap.Reached, "phase")
	}
	if f.looks > f.done {
		seen.Bootstrap.Reached = append(seen.Bootstrap.Reached, state.PhaseComplete)
	}
	return seen, nil
}

func TestALookInVainDoesNotEndAWaitThatMoves(t *testing.T) {
	clock := &hasty{now: time.Now()}
	cluster := &flaky{clock: clock, done: int(2 * limitMaster / pollInterval)}
	i := watching(&cluster.oracle)
	i.clients.Cluster, i.clients.Clock = cluster, clock
	if err := i.waitBootstrapComplete()(t.Context(), ignored); err != nil {
		t.Error(err)
	}
}

// broken is a cluster whose poll panics.
type broken struct{ oracle }

func (*broken) Poll(context.Context, netip.Addr, []state.ExpectedNode) (state.Snapshot, error) {
	panic("a defect")
}

func TestALookThatPanicsIsNoLookAtAnEmptyCluster(t *testing.T) {
	i := watching(&oracle{})
	i.clients.Cluster = &broken{}
	func() {
		defer func() { _ = recover() }()
		_, _ = i.poll(t.Context(), ignored)
	}()
	if _, err := i.poll(t.Context(), ignored); err == nil {
		t.Error("whoever shares the look believes that there is nothing")
	}
}

func TestADefectOfTheRulebookFailsNoInstallation(t *testing.T) {
	i := &Installation{diagnostics: diagnostics{}} // its evaluator is missing
	if findings, err := i.applyRules(diagnosis.Input{}); err == nil || findings != nil {
		t.Errorf("%v, %v", findings, err)
	}
}

func TestARequestThatSomebodyElseApprovesIsNoLongerLeftToTheOperator(t *testing.T) {
	cluster, board := &oracle{}, provisioner.NewBoard(provisioner.Plan{})
	i := watching(cluster)
	request := state.NodeRequest{Name: "csr-1", Node: "worker-9", BlockedReason: "no such machine"}
	for _, step := range []struct{ state, decision string }{
		{state.RequestPending, state.Skipped}, {state.RequestIssued, state.Approved}, {state.RequestIssued, state.Approved},
	} {
		request.State = step.state
		cluster.seen.Requests = []state.NodeRequest{request, {Name: "csr-2", State: step.state}}
		if _, err := i.pollOnce(t.Context(), board.Fold); err != nil {
			t.Fatal(err)
		}
		if len(board.CSRs) != 1 || board.CSRs[0].Decision != step.decision {
			t.Errorf("the request is %s: %+v", step.state, board.CSRs)
		}
	}
}
