// Package watch polls the cluster while it is installed: it emits what is new, approves the certificates of nodes, and
// diagnoses what is wrong. Steps that wait for the cluster share its polls.
package watch

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"sync"
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

// Cluster is the OpenShift cluster during its installation. Errors of an API that does not answer (yet) are
// fault.Transient.
type Cluster interface {
	// Poll reads the whole state: bootstrap is the address of the bootstrap machine, if there is one; expected are the
	// nodes that may get certificates. The snapshot is valid, as far as it goes, beside an error.
	Poll(ctx context.Context, bootstrap netip.Addr, expected []state.ExpectedNode) (state.Snapshot, error)
	// Approve approves those pending requests of the last snapshot that may be approved and have not changed since.
	Approve(ctx context.Context) ([]state.CSRDecision, error)
}

// Deps is what the cluster is watched with.
type Deps struct {
	Spec    state.Spec
	Folder  state.Folder
	Facts   *state.FactsStore
	Cluster Cluster
	Cloud   Cloud
	Names   Resolver
	Clock   provisioner.Clock
	NewKeys []string // nodes whose machines may get their first certificate for one key more than usual
	// Response is what is done about findings.
	Response Response

	SecurityGroups *network.SecurityGroups
	ElasticIPs     *network.ElasticIPs
	DNS            *network.DNS
	Image          *nodeimage.Image
	Machines       *machines.Machines
	Access         *bootstrap.Access
	Phases         *bootstrap.Phases
	// RestoreRouters moves the routers back to the nodes that are for them, whoever has moved them.
	RestoreRouters func(context.Context, provisioner.Report) error
}

// Watcher polls the cluster. Steps that wait for it at the same time share a poll.
type Watcher struct {
	Deps
	emitter   *emitter
	approver  *approver
	diagnoser *diagnoser
	responder *responder
	progress  progressTracker

	mu       sync.Mutex  // guards lastPoll
	lastPoll *sharedPoll // the latest poll; nil before the first
}

// New returns the watcher of a cluster.
func New(of Deps) *Watcher {
	w := &Watcher{Deps: of}
	w.emitter = &emitter{spec: of.Spec, machines: of.Machines, consecutiveFailures: map[string]int{}}
	w.approver = &approver{spec: of.Spec, facts: of.Facts, cluster: of.Cluster, machines: of.Machines, newKeys: of.NewKeys, undecided: map[string]int{}, allowed: map[string]int{}}
	w.diagnoser = &diagnoser{Deps: of, evaluator: diagnosis.New()}
	w.responder = newResponder(of)
	return w
}

// Findings returns the findings of the last poll, by falling confidence.
func (w *Watcher) Findings() []diagnosis.Finding { return w.diagnoser.getFindings() }

// ApproveNewKeys allows each machine that waits for the operator's decision its first certificate for one more key. The
// next poll approves it.
func (w *Watcher) ApproveNewKeys() { w.approver.allowNewKeys() }

// DescribeDecision returns the decision that machines wait for, "" if there is none.
func (w *Watcher) DescribeDecision() string { return w.approver.describeDecision() }

// SetAttended sets what reports whether a person can be asked about findings. It is called before the first poll.
func (w *Watcher) SetAttended(attended func() bool) { w.responder.attended = attended }

// Decide answers the question about the finding of a rule. The next poll acts on it.
func (w *Watcher) Decide(rule string, reply provisioner.Reply) { w.responder.answer(rule, reply) }

// Observations are the results of the polls so far.
type Observations struct {
	Seen     state.Snapshot // by the newest poll
	Err      error          // of the newest poll
	Answered state.Snapshot // by the newest one that the API answered
	Names    []diagnosis.Name
	Closed   []string // security rules that are missing
}

// Observations returns what was observed last. No poll may be running.
func (w *Watcher) Observations() Observations {
	o := Observations{Answered: w.diagnoser.last, Names: w.diagnoser.names, Closed: w.diagnoser.closed}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lastPoll != nil && w.lastPoll.isDone() {
		o.Seen, o.Err = w.lastPoll.seen, w.lastPoll.err
	}
	return o
}

// Until returns a step that waits until lacks returns nil for a poll. A wait that makes progress goes on beyond its
// limit; the error at the limit names the most likely cause.
func (w *Watcher) Until(limit time.Duration, lacks func(provisioner.Report, state.Snapshot) error) provisioner.StepFunc {
	wait := provisioner.PollUntil(w.Clock, pollInterval, limit, func(ctx context.Context, report provisioner.Report) error {
		seen, err := w.poll(ctx, report)
		switch {
		case err != nil && !seen.Bootstrap.Has(state.PhaseTemporaryAPI) && seen.Bootstrap.Waiting != "":
			// The state of both access paths explains more than one error.
			return fault.New(fault.KindOf(err), seen.Bootstrap.Waiting, nil)
		case fault.Is(err, fault.Transient): // one failed poll, while servers restart, does not end a wait with progress
			return w.extendDeadline(err)
		case err != nil:
			return err
		}
		return w.extendDeadline(lacks(report, seen))
	})
	return func(ctx context.Context, report provisioner.Report) error {
		return w.wrapTimeout(ctx, wait(ctx, report))
	}
}

// Steps that wait for the cluster poll at the same moments, and share one poll.
const pollInterval = 5 * time.Second

type sharedPoll struct {
	moment time.Time
	done   chan struct{} // closed once seen and err are set
	seen   state.Snapshot
	err    error
}

// The result of a shared poll that panicked: nothing is known, as opposed to nothing exists.
var errPollUnfinished = errors.New("the poll of the cluster did not finish")

func (p *sharedPoll) isDone() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// The first caller polls, emits what is new, and approves requests.
func (w *Watcher) poll(ctx context.Context, report provisioner.Report) (state.Snapshot, error) {
	shared, first := w.getSharedPoll(w.Clock.Now().Truncate(pollInterval))
	if first {
		func() {
			defer close(shared.done)
			shared.err = errPollUnfinished
			shared.seen, shared.err = w.pollOnce(ctx, report)
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
func (w *Watcher) getSharedPoll(moment time.Time) (shared *sharedPoll, first bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lastPoll != nil && (!w.lastPoll.isDone() || !w.lastPoll.moment.Before(moment)) {
		return w.lastPoll, false
	}
	w.lastPoll = &sharedPoll{moment: moment, done: make(chan struct{})}
	return w.lastPoll, true
}

func (w *Watcher) pollOnce(ctx context.Context, report provisioner.Report) (state.Snapshot, error) {
	seen, err := w.Cluster.Poll(ctx, w.Access.Address(), w.approver.listExpectedNodes())
	if ctx.Err() != nil {
		return seen, context.Cause(ctx)
	}
	seen.At = w.Clock.Now()
	w.emitter.emitProbes(report, seen.Probes)
	for _, phase := range seen.Bootstrap.Reached {
		w.Phases.Emit(report, phase, "")
	}
	if err == nil {
		w.emitter.emitCluster(report, seen)
		w.progress.track(seen)
	}
	// Requests and nodes are read together or not at all: nodes do not depend on the rest of the poll.
	if approval := w.approver.approve(ctx, report, seen.Requests); err == nil {
		err = approval
	}
	w.Access.Poll(ctx, report)
	if w.Access.IsServingConfigs() {
		w.Phases.Emit(report, state.PhaseMachineConfig, "")
	}
	w.diagnoser.diagnose(ctx, report, seen, err)
	w.responder.applyAnswer(report)
	if w.responder.respond(ctx, report, w.Findings()) {
		w.diagnoser.refreshed = time.Time{} // what was repaired is read again by the next poll
	}
	return seen, err
}

// extendDeadline marks the error as Progressing if there was progress lately. Slow disks and networks make installations
// exceed every limit, and complete nevertheless.
func (w *Watcher) extendDeadline(lacking error) error {
	if lacking == nil || w.Clock.Now().Sub(w.progress.lastProgress()) >= stallTimeout {
		return lacking
	}
	return provisioner.Progressing(lacking)
}

// The hint is the most likely cause.
func (w *Watcher) wrapTimeout(ctx context.Context, err error) error {
	var limit *provisioner.LimitError
	if !errors.As(err, &limit) {
		return err
	}
	const op = "wait for the cluster"
	if findings := w.Findings(); len(findings) > 0 {
		return fault.Newf(fault.Timeout, op, "%w"+provisioner.LikelyCause+"%s", err, findings[0].Cause).WithHint("%s", findings[0].Fix)
	}
	if closed, pollErr := w.SecurityGroups.ListClosedPorts(ctx); pollErr == nil && len(closed) > 0 {
		return fault.Newf(fault.Timeout, op, "%s; %w", strings.Join(closed, "; "), err).
			WithHint("run the same command again: it adds the missing rules and continues")
	}
	if silent := w.Machines.ListBootingMasters(); len(silent) > 0 {
		return fault.New(fault.Timeout, op, err).
			WithHint("check the console of %s in the Exoscale portal; if it is stuck, delete the machine and run the same command again", strings.Join(silent, " and "))
	}
	return err
}
