// Package power stops an installed cluster as a whole, and starts it again: it opens the cluster, shows what would be changed, asks, and runs
// the steps.
package power

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"exoshift/internal/app/day2"
	"exoshift/internal/app/etcdbackup"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/stable"
	"exoshift/provisioner"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/power"
	"exoshift/state"
)

// Cluster is an installed cluster that is stopped or started.
type Cluster struct {
	nodes.Cluster
	Alter func(*power.Clients) // for tests; nil: nothing
}

// Request is what a person decides.
type Request struct {
	DryRun  bool
	Program string // name, version and system of this program
	Retry   string // the command that goes on with it
	// Until is when a cluster that is stopped is to be started again; zero: DefaultOff from now.
	Until  time.Time
	Backup etcdbackup.Choice // of a stop
	// ReadKeys returns whom a backup is encrypted to that is made before the stop; nil: none is made.
	ReadKeys etcdbackup.ReadKeys
}

// DefaultOff is for how long a cluster is stopped if nobody says how long.
const DefaultOff = 30 * 24 * time.Hour

// Plan is what a stop or a start would change.
type Plan struct {
	Verb     string             // stop, start or repair certificates
	Silent   []power.SilentNode // of a repair: the nodes that are not ready
	Machines []state.Instance
	Steps    provisioner.Plan
	Now      time.Time
	Until    time.Time // of a stop: when the cluster is to be started again
	// StartBefore is when Limit ends; zero if that is not known.
	StartBefore time.Time
	Limit       string
	Stopped     time.Time // of a start: when the cluster was stopped; zero if that is not known
	Pending     []string  // requests for certificates that wait, which a stop leaves alone
	Cost        Cost
	Retry       string // the command that goes on with it
}

// Display shows a stop or a start to a person or a program, and asks before anything is changed.
type Display interface {
	// ShowPlan shows what would be changed.
	ShowPlan(plan Plan) error
	// Confirm returns an error unless all that may be changed.
	Confirm(ctx context.Context) error
	// Open decouples the run from its readers, and begins to show it.
	Open(ctx context.Context, shown run.View) run.Renderer
	// Close shows how the run ended, and waits for readers.
	Close(plan Plan, failure error, events string)
}

// Verbs.
const (
	VerbStop  = "stop"
	VerbStart = "start"
	// VerbRepair is the repair of certificates.
	VerbRepair = "repair certificates"
)

// Stop stops the cluster. The folder must be locked, except for a dry run.
func (c Cluster) Stop(ctx context.Context, wanted Request, shown Display) error {
	return c.withClients(wanted.DryRun, func(clients power.Clients, journal state.Recorder) error {
		facts := state.NewFactsStore(c.Facts, c.Folder.SaveFacts)
		now := c.Now()
		options := power.StopOptions{Until: wanted.Until, Journal: journal}
		if options.Until.IsZero() {
			options.Until = now.Add(DefaultOff)
		}
		if known := c.Facts.Hibernation; known == nil || !known.Committed {
			var err error
			if options.Backup, err = nodes.NewBackupSource(c.Cluster, wanted.Program, wanted.ReadKeys).Require(ctx, wanted.Backup, now, journal); err != nil {
				return err
			}
		}
		stop := power.NewStop(c.Spec, facts, clients, options)
		plan := Plan{Verb: VerbStop, Steps: stop.Plan(), Now: now, Until: options.Until, Retry: wanted.Retry}
		if known := c.Facts.Hibernation; stop.IsCommitted() {
			plan.StartBefore, plan.Limit = known.StartBefore, known.Limit
		} else {
			review, err := c.review(ctx, stop)
			if err != nil {
				return err
			}
			plan.StartBefore, plan.Limit, plan.Pending = review.StartBefore, review.Limit, review.Pending
		}
		return c.carryOut(ctx, wanted, clients, plan, stop.Undo, shown)
	})
}

// Start starts the cluster. If it was not stopped and all its machines run, nothing is done. The folder must be locked, except for a dry run.
func (c Cluster) Start(ctx context.Context, wanted Request, shown Display) error {
	return c.withClients(wanted.DryRun, func(clients power.Clients, journal state.Recorder) error {
		facts := state.NewFactsStore(c.Facts, c.Folder.SaveFacts)
		start := power.NewStart(c.Spec, facts, clients, journal)
		plan := Plan{Verb: VerbStart, Steps: start.Plan(), Now: c.Now(), Retry: wanted.Retry}
		if known := c.Facts.Hibernation; known != nil {
			plan.StartBefore, plan.Limit, plan.Stopped = known.StartBefore, known.Limit, known.Stopped
		}
		return c.carryOut(ctx, wanted, clients, plan, nil, shown)
	})
}

// RepairCertificates has the nodes that are not ready get new certificates. If all are ready, nothing is done. The folder must be locked,
// except for a dry run.
func (c Cluster) RepairCertificates(ctx context.Context, wanted Request, shown Display) error {
	return c.withClients(wanted.DryRun, func(clients power.Clients, journal state.Recorder) error {
		repair := power.NewRepair(c.Spec, state.NewFactsStore(c.Facts, c.Folder.SaveFacts), clients, journal)
		silent, err := c.findSilent(ctx, repair)
		if err != nil {
			return err
		}
		plan := Plan{Verb: VerbRepair, Silent: silent, Now: c.Now(), Retry: wanted.Retry}
		if len(silent) == 0 && !repair.IsBegun() {
			return shown.ShowPlan(plan)
		}
		plan.Steps = repair.Plan()
		if err := shown.ShowPlan(plan); err != nil || wanted.DryRun {
			return err
		}
		if err := shown.Confirm(ctx); err != nil {
			return err
		}
		return c.execute(ctx, wanted, plan, nil, shown)
	})
}

// findSilent returns refusals with their exit code. The machines of a rehearsal start when its zone is opened, so that its nodes are waited for.
func (c Cluster) findSilent(ctx context.Context, repair *power.Repair) (silent []power.SilentNode, err error) {
	interrupted := c.PollReview(ctx, 0, func(ctx context.Context, _ provisioner.Report) error {
		silent, err = repair.Review(ctx)
		switch {
		case fault.Is(err, fault.Conflict):
			return nil
		case err == nil && len(silent) > 0:
			return errors.New("nodes are not ready")
		}
		return err
	})
	switch {
	case interrupted != nil:
		return nil, interrupted
	case fault.Is(err, fault.Conflict):
		err = exit.WithCode(exit.Answers, err)
	}
	return silent, err
}

// review returns refusals for the sake of the cluster with their exit code.
func (c Cluster) review(ctx context.Context, stop *power.Stop) (found power.Review, err error) {
	interrupted := c.PollReview(ctx, 0, func(ctx context.Context, _ provisioner.Report) error {
		if found, err = stop.Review(ctx); err != nil {
			return err
		}
		if len(found.Unwell) == 0 {
			return nil
		}
		return found.Refusal()
	})
	if interrupted != nil {
		return found, interrupted
	}
	if err == nil {
		err = found.Refusal()
	}
	if fault.Is(err, fault.Conflict) {
		err = exit.WithCode(exit.Answers, err)
	}
	return found, err
}

func (c Cluster) withClients(dryRun bool, do func(power.Clients, state.Recorder) error) error {
	journal, closeJournal, err := c.OpenJournal(dryRun)
	if err != nil {
		return err
	}
	defer closeJournal()
	cloud, err := exoscale.New(c.Net, c.Spec.Exoscale.Zone, c.Secrets.APIKey, c.Secrets.APISecret, journal)
	if err != nil {
		return err
	}
	defer cloud.Close()
	cluster := c.NewClient()
	defer cluster.Close()
	clients := power.Clients{Cloud: cloud, Cluster: cluster, Clock: c.Net.Clock}
	if c.Alter != nil {
		c.Alter(&clients)
	}
	return do(clients, journal)
}

func (c Cluster) carryOut(ctx context.Context, wanted Request, clients power.Clients, plan Plan, undo func(context.Context) ([]provisioner.Event, error), shown Display) (err error) {
	if plan.Machines, err = clients.Cloud.ListInstances(ctx, c.Spec.Labels()); err != nil {
		return err
	}
	stable.Sort(plan.Machines, func(a, b state.Instance) int { return cmp.Compare(a.Name, b.Name) })
	if plan.Cost, err = estimate(c.Spec); err != nil {
		return err
	}
	if plan.Verb == VerbStart && c.Facts.Hibernation == nil && !slices.ContainsFunc(plan.Machines, func(m state.Instance) bool { return !power.IsRunning(m) }) {
		plan.Steps = nil
		return shown.ShowPlan(plan)
	}
	if err := shown.ShowPlan(plan); err != nil || wanted.DryRun {
		return err
	}
	if err := shown.Confirm(ctx); err != nil {
		return err
	}
	return c.execute(ctx, wanted, plan, undo, shown)
}

// execute runs the steps.
func (c Cluster) execute(ctx context.Context, wanted Request, plan Plan, undo func(context.Context) ([]provisioner.Event, error), shown Display) error {
	return day2.Run{
		Folder: c.Folder, Spec: c.Spec, Net: c.Net, Verb: plan.Verb, Title: plan.Verb + " " + c.Spec.Cluster.ID, Program: wanted.Program,
		Steps: plan.Steps, Retry: func() string { return plan.Retry },
		End: func(ctx context.Context, emit func(provisioner.Event), failure error) error {
			if failure == nil || undo == nil {
				return failure
			}
			ended, err := day2.Undo(ctx, undo)
			for _, event := range ended {
				emit(event)
			}
			return errors.Join(failure, err)
		},
	}.Execute(ctx, shown, func(failure error, events string) { shown.Close(plan, failure, events) })
}
