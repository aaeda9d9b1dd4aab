package nodes

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/nodes/ceph"
	"exoshift/state"
)

// Options are what a person decides about a removal.
type Options struct {
	Verb           string        // what is done with the nodes, as the command line calls it: remove, replace or resize
	Timeout        time.Duration // of the evictions from one node
	DeleteEmptyDir bool          // pods lose what they keep in the node's own storage
	Force          bool          // pods are ended that nobody makes again
	Parallel       int           // nodes at a time
	Journal        state.Recorder
	// Commit puts the answers and the facts' indices in force, at once or not at all.
	Commit func(spec state.Spec, change func(*state.Facts)) error
	// Add makes the machines of answers in force that are missing, and waits until they are nodes. The facts are up to date when it
	// returns. nil: the targets are removed, and nothing takes their place.
	Add func(ctx context.Context, report provisioner.Report, spec state.Spec) error
	// Configure has the configuration of the tenant have the node counts of the answers; nil: the cluster has none. An addition has Add do
	// that.
	Configure func(ctx context.Context, report provisioner.Report, spec state.Spec) error
}

// Removal removes nodes from a cluster, or replaces them: then others are added first.
type Removal struct {
	spec     state.Spec // as it was before, but with the machines that replacements have
	facts    *state.FactsStore
	clients  Clients
	options  Options
	targets  []Target
	pools    []state.InstancePool // of the answers
	routers  *routerGuard
	observer *observer
	progress targetEvents
	storage  *ceph.Work

	evicting chan struct{} // full while a pool evicts a member: what is missing afterwards is then known

	mu         sync.Mutex
	current    state.Spec      // without what was committed
	removed    map[string]bool // nodes that are gone
	configured bool            // the configuration has followed them
}

// NewRemoval is for the removal of nodes from the cluster of these answers.
func NewRemoval(spec state.Spec, facts *state.FactsStore, clients Clients, options Options) *Removal {
	r := &Removal{
		spec: spec, current: spec, removed: map[string]bool{}, evicting: make(chan struct{}, 1), facts: facts, clients: clients, options: options,
		routers: &routerGuard{cluster: clients.Cluster}, observer: newObserver(spec, clients.Clock),
	}
	r.storage = ceph.New(clients.Cluster, facts, options.Journal, clients.Clock, func(report provisioner.Report, node string, checks []string) {
		r.observer.observe(report, node, obstacles{ceph: checks})
	})
	return r
}

// Targets returns the nodes to remove, once Prepare has returned.
func (r *Removal) Targets() []Target { return r.targets }

// EmitTargets emits the targets, before anything is done with them.
func (r *Removal) EmitTargets(report provisioner.Report) {
	for _, target := range r.targets {
		left := len(target.Pods)
		r.progress.emit(report, target, provisioner.Event{State: provisioner.TargetWaiting, Count: &left})
	}
}

// Undo switches back what the change of a storage node has switched. The record of it ends with that, unless the node is on its way out still.
func (r *Removal) Undo(ctx context.Context, keep []string) ([]string, error) {
	known := r.facts.Get().Storage
	if known == nil || slices.Contains(keep, known.Node) {
		return nil, nil
	}
	return r.storage.Restore(ctx, func(node string) bool { return r.facts.Get().FindRemoval(node) != nil })
}

// ListLeft returns the names of the targets that are not removed yet.
func (r *Removal) ListLeft() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var names []string
	for _, target := range r.targets {
		if !r.removed[target.Name] || (configuration{r}).isLast() && !r.configured {
			names = append(names, target.Name)
		}
	}
	return names
}

// After returns the answers as they are after the removal.
func (r *Removal) After() state.Spec {
	spec := r.spec
	for _, target := range r.targets {
		spec = target.exchange(spec)
	}
	return spec
}

func (r *Removal) isReplacement() bool { return r.options.Add != nil }

func (r *Removal) refuse(format string, args ...any) *fault.Error {
	return fault.Newf(fault.Conflict, r.options.Verb+" nodes", "nothing was changed: "+format, args...)
}

// unwellError is that the cluster must not lose a node now.
type unwellError struct{ reasons fault.Reasons }

func (e unwellError) Error() string {
	return "nothing was changed: the cluster is not well: " + e.reasons.Error()
}

func (e unwellError) Unwrap() error { return e.reasons }

// NewUnwellError returns the error for which IsUnwell is true.
func NewUnwellError(reasons []string) error { return unwellError{reasons} }

// IsUnwell reports whether a removal was refused because of a state of the cluster that may pass.
func IsUnwell(err error) bool {
	var unwell unwellError
	return errors.As(err, &unwell)
}

// Prepare finds the nodes, and what their removal means. fault.Conflict: the cluster would not be safe without them, or they are
// no nodes that this verb removes. It changes nothing.
func (r *Removal) Prepare(ctx context.Context, names []string) error {
	r.targets = nil
	if err := (poolMembers{r}).readPools(ctx); err != nil {
		return err
	}
	all, err := List(ctx, r.spec, r.facts.Get(), r.clients, false)
	if err != nil {
		return err
	}
	if err := r.routers.read(ctx); err != nil {
		return err
	}
	return review{r, all}.check(ctx, names)
}

// countBusy counts the nodes that the cluster does without already: those whose removal was begun, and targets that are not ready.
func (r *Removal) countBusy() int {
	busy := map[string]bool{}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, removal := range r.facts.Get().Removals {
		if !r.removed[removal.Node] && (removal.Cordoned || removal.Committed || removal.ReplacedBy == "") {
			busy[removal.Node] = true
		}
	}
	for _, target := range r.targets {
		if member := target.Node.Node; !r.removed[target.Name] && member != nil && (!member.Ready || member.Cordoned) {
			busy[target.Name] = true
		}
	}
	return len(busy)
}

// SetAttended sets what reports whether a person can be asked. It is called before the plan runs.
func (r *Removal) SetAttended(attended func() bool) {
	r.observer.mu.Lock()
	defer r.observer.mu.Unlock()
	r.observer.question.attended = attended
}

// Decide answers the question about a finding, by its rule: the next poll acts on it. Any reply but provisioner.ReplyStop is to wait, for
// longer than the timeout, too.
func (r *Removal) Decide(rule string, reply provisioner.Reply) {
	r.observer.mu.Lock()
	defer r.observer.mu.Unlock()
	if q := &r.observer.question; q.rule == rule {
		q.reply = reply
	}
}
