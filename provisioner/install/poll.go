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

// pollInterval is how often the cluster is looked at. Steps that wait for it look at the same moments, and share one look.
const pollInterval = 5 * time.Second

// sharedPoll is a look at the cluster that several steps share.
type sharedPoll struct {
	moment time.Time
	done   chan struct{} // closed once seen and err are there
	seen   state.Snapshot
	err    error
}

// errPollUnfinished is what a look is to those who share it if a defect of ours ends it: nothing was seen, which is not the
// same as that there is nothing.
var errPollUnfinished = errors.New("the look at the cluster did not come to its end")

func (g *sharedPoll) isDone() bool {
	select {
	case <-g.done:
		return true
	default:
		return false
	}
}

// poll returns what is seen of the cluster at this moment. Whoever comes first looks, tells what is new, and approves
// what may be approved.
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

// getSharedPoll returns the look of a moment, or one that has begun before and goes on; first tells whether it is to be done.
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
	// Requests and nodes are seen together or not at all: whatever else was not, nodes do not wait for it.
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

// findBootstrapAddress returns the address of the bootstrap machine as long as it matters; the zero address else.
func (i *Installation) findBootstrapAddress() netip.Addr {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.facts.BootstrapRemoved.IsZero() {
		return netip.Addr{}
	}
	address, err := netip.ParseAddr(i.nodes[i.spec.Machines(state.RoleBootstrap)[0].Name].Address)
	if err != nil {
		return netip.Addr{} // not known yet
	}
	return address
}

// approveRequests approves what the last look found to follow all rules, and tells what was left alone.
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

// markSeen notes what was seen of something and tells whether it is new.
func (i *Installation) markSeen(what, seen string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.seen[what] == seen {
		return false
	}
	i.seen[what] = seen
	return true
}

// copyPhaseTimes returns when each phase of the cluster was reached, as far as it was.
func (i *Installation) copyPhaseTimes() map[string]time.Time {
	i.mu.Lock()
	defer i.mu.Unlock()
	return maps.Clone(i.phases)
}
