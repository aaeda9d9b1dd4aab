package install

import (
	"context"
	"errors"
	"maps"
	"net/netip"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
)

// Steps that wait for the cluster poll at the same moments, and share one poll.
const pollInterval = 5 * time.Second

type sharedPoll struct {
	moment time.Time
	done   chan struct{} // closed once seen and err are set
	seen   state.Snapshot
	err    error
}

// The result of a shared poll that panicked: nothing is known, as opposed to nothing exists.
var errPollUnfinished = errors.New("the look at the cluster did not come to its end")

func (g *sharedPoll) isDone() bool {
	select {
	case <-g.done:
		return true
	default:
		return false
	}
}

// The first caller polls, emits what is new, and approves requests.
func (i *Installation) poll(ctx context.Context, report provisioner.Report) (state.Snapshot, error) {
	shared, first := i.getSharedPoll(i.clients.Clock.Now().Truncate(pollInterval))
	if first {
		func() {
			defer close(shared.done)
			shared.err = errPollUnfinished
			shared.seen, shared.err = i.pollOnce(ctx, report)
		}()
	}
	select {
	case <-shared.done:
		return shared.seen, shared.err
	case <-ctx.Done():
		return state.Snapshot{}, context.Cause(ctx)
	}
}

// A poll that is still running is shared, too; first reports whether the caller has to do it.
func (i *Installation) getSharedPoll(moment time.Time) (shared *sharedPoll, first bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.lastPoll != nil && (!i.lastPoll.isDone() || !i.lastPoll.moment.Before(moment)) {
		return i.lastPoll, false
	}
	i.lastPoll = &sharedPoll{moment: moment, done: make(chan struct{})}
	return i.lastPoll, true
}

func (i *Installation) pollOnce(ctx context.Context, report provisioner.Report) (state.Snapshot, error) {
	seen, err := i.clients.Cluster.Poll(ctx, i.findBootstrapAddress(), i.listExpectedNodes())
	if ctx.Err() != nil {
		return seen, context.Cause(ctx)
	}
	seen.At = i.clients.Clock.Now()
	i.emitProbes(report, seen.Probes)
	for _, phase := range seen.Bootstrap.Reached {
		i.emitBootstrap(report, phase, "")
	}
	if err == nil {
		i.emitCluster(report, seen)
		i.progress.track(seen)
	}
	// Requests and nodes are read together or not at all: nodes do not depend on the rest of the poll.
	if approval := i.approveRequests(ctx, report, seen.Requests); err == nil {
		err = approval
	}
	i.pollBootstrapHost(ctx, report)
	if isServingConfigs(i.BootstrapHost()) {
		i.emitBootstrap(report, state.PhaseMachineConfig, "")
	}
	i.diagnose(ctx, report, seen, err)
	return seen, err
}

// findBootstrapAddress returns the zero address once the bootstrap machine does not matter any more.
func (i *Installation) findBootstrapAddress() netip.Addr {
	if i.Facts().IsBootstrapped() {
		return netip.Addr{}
	}
	machine, _ := i.findInstance(i.spec.Machines(state.RoleBootstrap)[0].Name)
	address, err := netip.ParseAddr(machine.Address)
	if err != nil {
		return netip.Addr{} // not known yet
	}
	return address
}

// Only requests of the last poll that follow all rules are approved; skipped ones are emitted.
func (i *Installation) approveRequests(ctx context.Context, report provisioner.Report, requests []state.NodeRequest) error {
	i.recordUndecided(requests)
	wanted := false
	for _, request := range requests {
		switch {
		case request.State != state.RequestPending:
			i.emitSettledCSR(report, request)
		case request.BlockedReason == "":
			wanted = true
		default:
			i.emitSkippedCSR(report, request)
		}
	}
	if !wanted {
		return nil
	}
	decisions, err := i.clients.Cluster.Approve(ctx)
	for _, decision := range decisions {
		i.emitCSR(report, decision)
	}
	return errors.Join(err, i.saveNewKeys(decisions))
}

func (i *Installation) copyPhaseTimes() map[string]time.Time {
	i.mu.Lock()
	defer i.mu.Unlock()
	return maps.Clone(i.phases)
}
