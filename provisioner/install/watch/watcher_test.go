package watch

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/diagnosis"
	"exoshift/provisioner/install/bootstrap"
	"exoshift/provisioner/install/machines"
	"exoshift/provisioner/install/network"
	"exoshift/provisioner/install/nodeimage"
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
type sky struct{ network.Cloud }

func (sky) FindTemplate(context.Context, string) (state.Template, error) {
	return state.Template{}, nil
}

func (sky) ListInstances(context.Context, map[string]string) ([]state.Instance, error) {
	return nil, nil
}

func (sky) ListMissingRules(context.Context, state.SecurityGroup) ([]state.Rule, error) {
	return nil, nil
}

// hasty is a clock whose waits return at once.
type hasty struct{ now time.Time }

func (h *hasty) Now() time.Time { return h.now }

func (h *hasty) Sleep(ctx context.Context, d time.Duration) error {
	h.now = h.now.Add(d)
	return context.Cause(ctx)
}

func spec() state.Spec {
	s := state.Default()
	s.Cluster = state.ClusterSpec{ID: "c-1", BaseDomain: "example.net"}
	return s
}

// depend returns what a watcher of that cluster needs, in a cloud that is empty.
func depend(cluster Cluster) Deps {
	of := Deps{Spec: spec(), Facts: &state.FactsStore{}, Cluster: cluster, Cloud: sky{}, Clock: &hasty{now: time.Now()}}
	of.SecurityGroups, of.Phases = network.NewSecurityGroups(of.Spec, sky{}), bootstrap.NewPhases(of.Clock)
	of.ElasticIPs = network.NewElasticIPs(of.Spec, nil, of.Facts)
	of.DNS = network.NewDNS(of.Spec, nil, of.ElasticIPs)
	of.Image = nodeimage.New(of.Spec, nil, nil, nodeimage.Transfer{}, nil, nil, of.Facts)
	of.Machines = machines.New(machines.Deps{Spec: of.Spec})
	of.Access = bootstrap.NewAccess(of.Spec, of.Facts, nil, nil, of.Clock, of.Machines, false)
	return of
}

func watching(cluster Cluster) *Watcher { return New(depend(cluster)) }

func ignored(provisioner.Event) {}

func TestWatcher_PollsNodesFirst(t *testing.T) {
	cluster := &oracle{failure: fault.Newf(fault.Transient, "list pods", "cut")}
	cluster.seen.Requests = []state.NodeRequest{{Name: "csr-1", State: state.RequestPending}}
	if _, err := watching(cluster).pollOnce(t.Context(), ignored); !fault.Is(err, fault.Transient) {
		t.Errorf("error %v", err)
	}
	if cluster.approved != 1 {
		t.Error("what may be approved was not, because something else was not seen")
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

func TestWatcher_FailedPollKeepsWait(t *testing.T) {
	const limit = 45 * time.Minute
	clock := &hasty{now: time.Now()}
	cluster := &flaky{clock: clock, done: int(2 * limit / pollInterval)}
	of := depend(cluster)
	of.Clock = clock
	wait := New(of).Until(limit, func(_ provisioner.Report, seen state.Snapshot) error {
		if !seen.Bootstrap.Has(state.PhaseComplete) {
			return errors.New("not complete")
		}
		return nil
	})
	if err := wait(t.Context(), ignored); err != nil {
		t.Error(err)
	}
}

// broken is a cluster whose poll panics.
type broken struct{ oracle }

func (*broken) Poll(context.Context, netip.Addr, []state.ExpectedNode) (state.Snapshot, error) {
	panic("a defect")
}

func TestWatcher_PollPanicIsNotEmpty(t *testing.T) {
	w := watching(&broken{})
	func() {
		defer func() { _ = recover() }()
		_, _ = w.poll(t.Context(), ignored)
	}()
	if _, err := w.poll(t.Context(), ignored); err == nil {
		t.Error("whoever shares the look believes that there is nothing")
	}
}

func TestDiagnosis_PanicFailsNothing(t *testing.T) {
	d := &diagnoser{} // its evaluator is missing
	if findings, err := d.applyRules(diagnosis.Input{}); err == nil || findings != nil {
		t.Errorf("%v, %v", findings, err)
	}
}

func TestWatcher_ForgetsApprovedRequest(t *testing.T) {
	cluster, board := &oracle{}, provisioner.NewBoard(provisioner.Plan{})
	w := watching(cluster)
	request := state.NodeRequest{Name: "csr-1", Node: "worker-9", BlockedReason: "no such machine"}
	for _, step := range []struct{ state, decision string }{
		{state.RequestPending, state.Skipped}, {state.RequestIssued, state.Approved}, {state.RequestIssued, state.Approved},
	} {
		request.State = step.state
		cluster.seen.Requests = []state.NodeRequest{request, {Name: "csr-2", State: step.state}}
		if _, err := w.pollOnce(t.Context(), board.Fold); err != nil {
			t.Fatal(err)
		}
		if len(board.CSRs) != 1 || board.CSRs[0].Decision != step.decision {
			t.Errorf("the request is %s: %+v", step.state, board.CSRs)
		}
	}
}
