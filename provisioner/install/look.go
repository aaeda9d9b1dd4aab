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

// lookEvery is how often the cluster is looked at. Steps that wait for it look at the same moments, and share one look.
const lookEvery = 5 * time.Second

// glance is a look at the cluster that several steps share.
type glance struct {
	moment time.Time
	done   chan struct{} // closed once seen and err are there
	seen   state.Observation
	err    error
}

// errUnfinished is what a look is to those who share it if a defect of ours ends it: nothing was seen, which is not the
// same as that there is nothing.
var errUnfinished = errors.New("the look at the cluster did not come to its end")

func (g *glance) over() bool {
	select {
	case <-g.done:
		return true
	default:
		return false
	}
}

// observe returns what is seen of the cluster at this moment. Whoever comes first looks, tells what is new, and approves
// what may be approved.
func (i *Installation) observe(ctx context.Context, report provisioner.Report) (state.Observation, error) {
	shared, first := i.glanceAt(i.world.Clock.Now().Truncate(lookEvery))
	if first {
		func() {
			defer close(shared.done)
			shared.err = errUnfinished
			shared.seen, shared.err = i.look(ctx, report)
		}()
	}
	select {
	case <-shared.done:
		return shared.seen, shared.err
	case <-ctx.Done():
		return state.Observation{}, context.Cause(ctx)
	}
}

// glanceAt returns the look of a moment, or one that has begun before and goes on; first tells whether it is to be done.
func (i *Installation) glanceAt(moment time.Time) (shared *glance, first bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.glance != nil && (!i.glance.over() || !i.glance.moment.Before(moment)) {
		return i.glance, false
	}
	i.glance = &glance{moment: moment, done: make(chan struct{})}
	return i.glance, true
}

func (i *Installation) look(ctx context.Context, report provisioner.Report) (state.Observation, error) {
	seen, err := i.world.Cluster.Observe(ctx, i.bootstrapAddress(), i.expected())
	if ctx.Err() != nil {
		return seen, context.Cause(ctx)
	}
	seen.At = i.world.Clock.Now()
	i.tellProbes(report, seen.Probes)
	for _, phase := range seen.Bootstrap.Reached {
		i.tellBootstrap(report, phase, "")
	}
	if err == nil {
		i.tellCluster(report, seen)
		i.headway.note(seen)
	}
	// Requests and nodes are seen together or not at all: whatever else was not, nodes do not wait for it.
	if approval := i.approve(ctx, report, seen.Requests); err == nil {
		err = approval
	}
	i.lookInside(ctx, report)
	if servesConfigurations(i.Inside()) {
		i.tellBootstrap(report, state.PhaseMachineConfig, "")
	}
	i.diagnose(ctx, report, seen, err)
	return seen, err
}

// bootstrapAddress returns the address of the bootstrap machine as long as it matters; the zero address else.
func (i *Installation) bootstrapAddress() netip.Addr {
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

// approve approves what the last look found to follow all rules, and tells what was left alone.
func (i *Installation) approve(ctx context.Context, report provisioner.Report, requests []state.NodeRequest) error {
	i.noteUndecided(requests)
	wanted := false
	for _, request := range requests {
		switch {
		case request.State != state.RequestPending:
			i.tellSettled(report, request)
		case request.Refusal == "":
			wanted = true
		default:
			i.tellLeft(report, request)
		}
	}
	if !wanted {
		return nil
	}
	decisions, err := i.world.Cluster.Approve(ctx)
	for _, decision := range decisions {
		i.tellCSR(report, decision)
	}
	return errors.Join(err, i.rememberNewKeys(decisions))
}

// changed notes what was seen of something and tells whether it is new.
func (i *Installation) changed(what, seen string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.seen[what] == seen {
		return false
	}
	i.seen[what] = seen
	return true
}

// began returns when each phase of the cluster was reached, as far as it was.
func (i *Installation) began() map[string]time.Time {
	i.mu.Lock()
	defer i.mu.Unlock()
	return maps.Clone(i.phases)
}
