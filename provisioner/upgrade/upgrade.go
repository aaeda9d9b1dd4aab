// Package upgrade updates a cluster that nobody else updates to another release of OpenShift: it checks what has to hold, has the cluster
// begin, and waits until its operators and nodes have the release, some of the nodes before the others if that is wanted.
package upgrade

import (
	"context"
	"errors"
	"slices"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/backup"
	"exoshift/provisioner/nodes"
	"exoshift/state"
	"exoshift/state/upgrade"
)

// Cluster is the API of the cluster.
type Cluster interface {
	nodes.Poller
	// GetUpdateStatus reads the release, the updates and how far one is.
	GetUpdateStatus(ctx context.Context) (upgrade.Status, error)
	// GetGates reads the decisions that OpenShift asks for, and which APIs are used that it will remove.
	GetGates(ctx context.Context) ([]upgrade.Gate, []upgrade.RemovedAPI, error)
	// InspectStop reads when the certificates end, how Ceph is, and who else updates the cluster.
	InspectStop(ctx context.Context) (state.StopConditions, error)
	// ListAlerts returns the firing and silenced alerts.
	ListAlerts(ctx context.Context) ([]state.Alert, error)
	// SetChannel sets the channel of updates: state.Found if it is that already.
	SetChannel(ctx context.Context, channel string) (state.Action, error)
	// RequestUpdate requests the update to a release: state.Found if it is requested already, fault.Conflict if it is not possible any more.
	RequestUpdate(ctx context.Context, version string) (state.Action, error)
	// Acknowledge answers a decision that OpenShift asks for: state.Found if it was answered.
	Acknowledge(ctx context.Context, key string) (state.Action, error)
	// SetPaused pauses a machine config pool or ends that: state.Found if it is so already, fault.NotFound if there is no such pool.
	SetPaused(ctx context.Context, pool string, paused bool) (state.Action, error)
}

// Clients are what a cluster is updated with.
type Clients struct {
	Cluster Cluster
	Clock   provisioner.Clock
}

// Options are what a person decides about an update.
type Options struct {
	To                  string // the release; "": only the channel is set
	Channel             string // "": it stays
	AllowNotRecommended bool
	Acknowledge         []string // keys of decisions that OpenShift asks for
	Canary              string   // the pool that is updated before all others but the masters; "": none
	PausePools          bool     // the update ends with the masters, and the same command without it goes on
	// FindBackup decides which backup there is to come back to. It is called once, for an update that was not requested yet; nil: nobody wants one.
	FindBackup func(ctx context.Context) (backup.Requirement, error)
	Journal    state.Recorder
}

// Upgrade updates a cluster.
type Upgrade struct {
	spec     state.Spec
	facts    *state.FactsStore
	clients  Clients
	options  Options
	observer observer
	backup   *backup.Requirement // nil: not decided yet
}

// New is for the cluster of these answers.
func New(spec state.Spec, facts *state.FactsStore, clients Clients, options Options) *Upgrade {
	return &Upgrade{spec: spec, facts: facts, clients: clients, options: options, observer: newObserver(spec, clients.Clock)}
}

// Phases of the steps, by which a failure has its exit code: those of an installation.
const (
	phaseControlPlane = "control-plane"
	phaseNodes        = "nodes"
	phaseOperators    = "operators"
)

// masterPool is the pool that is never paused.
const masterPool = "master"

const (
	pollInterval = 15 * time.Second
	// stallLimit is for how long an update may come no further: a drain of the machine config operator alone may take an hour until it
	// reports an error.
	stallLimit = 75 * time.Minute
	// degradedLimit is for how long an operator or a pool may be degraded while nothing goes on.
	degradedLimit = 30 * time.Minute
	// acceptLimit is for how long a cluster may take to load the release that was requested.
	acceptLimit = 30 * time.Minute
	// channelLimit is for how long a cluster may take to fetch the list of updates of another channel.
	channelLimit = 10 * time.Minute
	// canaryTime is for how long the canary has to be well before others follow.
	canaryTime = 5 * time.Minute
)

// Plan returns the steps, each after the one before it. What is reviewed before decides whether a backup is made.
func (u *Upgrade) Plan() provisioner.Plan {
	var plan provisioner.Plan
	add := func(id, title, phase string, usual time.Duration, do provisioner.StepFunc) {
		step := provisioner.Step{ID: id, Title: title, Phase: phase, Usual: usual, Do: do}
		if len(plan) > 0 {
			step.Needs = []string{plan[len(plan)-1].ID}
		}
		plan = append(plan, step)
	}
	if u.options.Channel != "" {
		add("channel", "Set the update channel to "+u.options.Channel, phaseOperators, time.Minute, u.setChannel)
	}
	if u.options.To == "" {
		return plan
	}
	add("check", "Check whether the cluster may be updated", phaseControlPlane, 10*time.Second, u.check)
	if u.backup != nil {
		for _, step := range u.backup.Plan("") {
			add(step.ID, step.Title, step.Phase, step.Usual, step.Do)
		}
	}
	if len(u.options.Acknowledge) > 0 {
		add("acknowledge", "Acknowledge what OpenShift asks administrators for", phaseOperators, 5*time.Second, u.acknowledge)
	}
	if u.pauses() {
		add("pause", "Pause machine config pools", phaseNodes, 5*time.Second, u.pause)
	}
	add("request", "Request the update to "+u.options.To, phaseOperators, 2*time.Minute, u.request)
	add("operators", "Wait until the operators and the masters have the release", phaseOperators, 75*time.Minute, u.awaitOperators)
	if u.options.PausePools {
		return plan
	}
	if u.options.Canary != "" {
		add("canary", "Wait until the nodes of the pool "+u.options.Canary+" have the release and are well", phaseNodes, 20*time.Minute, u.awaitCanary)
	}
	add("pools", "Wait until all other nodes have the release", phaseNodes, time.Hour, u.awaitPools)
	add("record", "Record that the update has ended", phaseOperators, time.Second, u.record)
	return plan
}

func (u *Upgrade) pauses() bool { return u.options.PausePools || u.options.Canary != "" }

// change returns the zero value if none was begun.
func (u *Upgrade) change() upgrade.Change {
	if known := u.facts.Get().Upgrade; known != nil {
		return *known
	}
	return upgrade.Change{}
}

// update changes a copy of what is known of the update, and stores it.
func (u *Upgrade) update(change func(*upgrade.Change)) error {
	return u.facts.Update(func(facts *state.Facts) {
		changed := upgrade.Change{}
		if facts.Upgrade != nil {
			changed = *facts.Upgrade
			changed.Paused = slices.Clone(changed.Paused)
		}
		change(&changed)
		facts.Upgrade = &changed
	})
}

// Undo ends the pauses of an update that was given up before it was requested, and returns the pools that are in use again.
func (u *Upgrade) Undo(ctx context.Context) (freed []string, err error) {
	known := u.change()
	if known.To == "" || known.Requested {
		return nil, nil
	}
	for _, pool := range known.Paused {
		if err := u.setPaused(ctx, func(provisioner.Event) {}, pool, false); err != nil {
			return freed, fault.New(fault.KindOf(err), "end the pauses of the machine config pools", err).
				WithHint(`end it by hand: oc patch machineconfigpool %s --type merge -p '{"spec":{"paused":false}}'`, pool)
		}
		freed = append(freed, pool)
	}
	return freed, u.facts.Update(func(facts *state.Facts) { facts.Upgrade = nil })
}

const kindPool = "machine config pool"

// setPaused records in the journal what it does before it does it. A pool that is gone is not paused.
func (u *Upgrade) setPaused(ctx context.Context, report provisioner.Report, pool string, paused bool) error {
	err := u.carryOut(report, kindPool, pool, func() (state.Action, error) { return u.clients.Cluster.SetPaused(ctx, pool, paused) })
	if !paused && fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// carryOut carries out one change, with its entries in the journal.
func (u *Upgrade) carryOut(report provisioner.Report, kind, name string, change func() (state.Action, error)) error {
	if err := u.options.Journal.RecordIntent(kind, name); err != nil {
		return err
	}
	action, err := change()
	if err != nil {
		return err
	}
	report.EmitObject(kind, name, "", string(action))
	return u.options.Journal.RecordResult(kind, name, name, action)
}

// isTemporary reports whether the API may answer the same question otherwise a moment later: while API servers are replaced, they go away.
func isTemporary(err error) bool {
	return fault.Is(err, fault.Transient) || fault.Is(err, fault.Timeout)
}

// wait repeats a check until it succeeds, fails for good, or nothing has gone on for as long as limit says. progress is what the check saw.
func (u *Upgrade) wait(limit func() time.Duration, check func(context.Context, provisioner.Report) (progress string, err error)) provisioner.StepFunc {
	return func(ctx context.Context, report provisioner.Report) error {
		var failure error
		last, since := "", u.clients.Clock.Now()
		err := provisioner.PollUntil(u.clients.Clock, pollInterval, 0, func(ctx context.Context, report provisioner.Report) error {
			progress, err := check(ctx, report)
			if failure = err; err == nil || !isTemporary(err) {
				return nil
			}
			now := u.clients.Clock.Now()
			if progress != "" && progress != last {
				last, since = progress, now
			}
			if now.Sub(since) >= limit() {
				return err
			}
			return provisioner.Progressing(err)
		})(ctx, report)
		var late *provisioner.LimitError
		if errors.As(err, &late) {
			return fault.New(fault.Timeout, "nothing went on for "+limit().String(), late.Err)
		}
		if err != nil {
			return err
		}
		return failure
	}
}

func constant(limit time.Duration) func() time.Duration { return func() time.Duration { return limit } }

func waiting(format string, args ...any) error {
	return fault.Newf(fault.Transient, "wait", format, args...)
}
