// Package recovery opens an installed cluster whose etcd has lost its quorum, shows what is known of it and of the backup that is to be restored,
// asks, and runs the steps that recover it.
package recovery

import (
	"context"
	"errors"
	"time"

	"filippo.io/age"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/day2"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/nodes/masters"
	"exoshift/provisioner/openshift/bootstraphost"
	"exoshift/provisioner/openshift/masterhost"
	"exoshift/provisioner/recovery"
	"exoshift/state"
	vocabulary "exoshift/state/backup"
	"exoshift/state/lease"
)

// Verb is the verb that recovers etcd.
const Verb = "recover etcd"

// Cluster is an installed cluster whose etcd is recovered.
type Cluster struct {
	nodes.Cluster
	Alter func(*recovery.Clients) // for tests; nil: nothing
}

// Request is what a person decides.
type Request struct {
	From     string   // the master whose member remains, or on which the backup is restored; "" with a backup: the first one that runs
	Backup   string   // the name of the backup that is restored, or latest; "": the member's data stays
	HostKeys []string // fingerprints of masters' SSH keys that a person has compared
	DryRun   bool
	Program  string // name, version and system of this program
	// Retry returns the command that goes on with it, by the name of the backup and the master.
	Retry      func(backup, from string) string
	Identities []age.Identity     // that decrypt the backup
	Emit       provisioner.Report // is given the finding about a backup that is damaged; nil: nobody is
	// Installer makes the machines of masters that are lost.
	Installer nodes.Installer
}

// Plan is what a recovery would change.
type Plan struct {
	From   string
	Backup *vocabulary.Manifest // that is restored; nil: the data of the member stays
	Review recovery.Review
	Steps  provisioner.Plan
	Begun  bool // an earlier run has begun it
	// Restored: that has made a cluster of it already, so that nothing is overwritten any more.
	Restored bool
	Retry    string // the command that goes on with it
}

// Display shows a recovery to a person or a program, and asks before anything is changed.
type Display interface {
	// ShowPlan shows what would be changed.
	ShowPlan(plan Plan) error
	// Confirm returns an error unless all that may be changed.
	Confirm(ctx context.Context, plan Plan) error
	// Open decouples the run from its readers, and begins to show it.
	Open(ctx context.Context, shown run.View) run.Renderer
	// Close shows how the run ended, and waits for readers.
	Close(plan Plan, failure error, events string)
}

// How long an API may take to answer, by the cluster's clock, before it is away: the machines of a rehearsal start when its zone is opened.
const (
	answerLimit          = time.Minute
	answerLimitRehearsal = 15 * time.Minute
)

// evictionLimit is for how long pods are tried to be evicted from a master that is lost.
const evictionLimit = 15 * time.Minute

// RecoverEtcd gives etcd its quorum back. The folder must be locked, except for a dry run.
func (c Cluster) RecoverEtcd(ctx context.Context, wanted Request, shown Display) (err error) {
	if err := clusterdir.CheckStarted(c.Facts); err != nil {
		return err
	}
	of, closeBackup, err := c.openBackup(ctx, wanted)
	if err != nil {
		return err
	}
	defer closeBackup()
	opened, end, err := c.open(ctx, &wanted, of)
	if err != nil {
		return err
	}
	defer end()
	review, err := opened.Review(ctx, c.answerLimit())
	if err == nil {
		err = review.Refusal
	}
	if err != nil {
		if !wanted.DryRun { // what an earlier run has opened
			err = errors.Join(err, opened.Close(ctx, func(provisioner.Event) {}))
		}
		return withCode(err)
	}
	plan := Plan{From: wanted.From, Review: review, Steps: opened.Plan(), Begun: opened.IsBegun(), Restored: IsRestored(c.Facts), Retry: wanted.Retry(wanted.Backup, wanted.From)}
	if of != nil {
		plan.Backup = &of.Manifest
	}
	if err := shown.ShowPlan(plan); err != nil || wanted.DryRun {
		return err
	}
	if err := shown.Confirm(ctx, plan); err != nil {
		return err
	}
	return c.execute(ctx, wanted, opened, plan, shown)
}

// IsRestored reports whether a recovery was begun that has made a cluster of a member or of a backup already.
func IsRestored(facts state.Facts) bool { return facts.Recovery != nil && facts.Recovery.Restored }

func (c Cluster) answerLimit() time.Duration {
	if c.Facts.Rehearsal {
		return answerLimitRehearsal
	}
	return answerLimit
}

// withCode gives refusals for the sake of the cluster their exit code.
func withCode(err error) error {
	if fault.Is(err, fault.Conflict) {
		return exit.WithCode(exit.Answers, err)
	}
	return err
}

// open returns the recovery, and completes what is wanted; end closes what it uses.
func (c Cluster) open(ctx context.Context, wanted *Request, of *recovery.Backup) (opened *recovery.Recovery, end func(), err error) {
	journal, closeJournal, err := c.OpenJournal(wanted.DryRun)
	if err != nil {
		return nil, nil, err
	}
	facts := state.NewFactsStore(c.Facts, c.Folder.SaveFacts)
	options, err := nodes.NewOptions(ctx, c.Cluster, wanted.Installer, journal, facts)
	if err != nil {
		closeJournal()
		return nil, nil, err
	}
	options.Timeout = evictionLimit
	clients, disconnect, err := c.openClients(journal, wanted.HostKeys)
	if err != nil {
		closeJournal()
		return nil, nil, err
	}
	end = func() { disconnect(); closeJournal() }
	if of != nil {
		wanted.Backup = of.Manifest.Name
	}
	if wanted.From, err = c.chooseHost(ctx, *wanted, clients.Cloud); err != nil {
		end()
		return nil, nil, err
	}
	return recovery.New(c.Spec, facts, clients, recovery.Options{From: wanted.From, Backup: of, Options: masters.Options{Options: options}}), end, nil
}

func (c Cluster) openClients(journal state.Recorder, hostKeys []string) (clients recovery.Clients, disconnect func(), err error) {
	agent, trust := environment.NewSSHAgent(), masterhost.Trust{All: c.Facts.Rehearsal, Fingerprints: hostKeys}
	if c.Facts.Rehearsal {
		if agent, err = environment.NewRehearsalAgent(c.Spec, c.Folder); err != nil {
			return clients, nil, err
		}
	} else if trust.Known, err = masterhost.ReadKnownHosts(); err != nil {
		return clients, nil, exit.WithCode(exit.Usage, err)
	}
	cloud, err := exoscale.New(c.Net, c.Spec.Exoscale.Zone, c.Secrets.APIKey, c.Secrets.APISecret, journal)
	if err != nil {
		return clients, nil, err
	}
	cluster := c.NewClient()
	hosts := masterhost.New(c.Net, c.Spec.OpenShift.SSHKey, agent, trust)
	balancers := bootstraphost.New(c.Net, c.Folder.Read, "", nil)
	clients = recovery.Clients{Cloud: cloud, Cluster: cluster, Hosts: hosts, Balancers: balancers, Clock: c.Net.Clock}
	if c.Alter != nil {
		c.Alter(&clients)
	}
	return clients, func() { cloud.Close(); cluster.Close(); hosts.Close(); balancers.Close() }, nil
}

// execute runs the steps.
func (c Cluster) execute(ctx context.Context, wanted Request, opened *recovery.Recovery, plan Plan, shown Display) error {
	return day2.Run{
		Folder: c.Folder, Spec: c.Spec, Net: c.Net, Verb: Verb, Title: Verb + " of " + c.Spec.Cluster.ID, Program: wanted.Program,
		Steps: plan.Steps, Retry: func() string { return plan.Retry },
		End: func(ctx context.Context, emit func(provisioner.Event), failure error) error {
			if lease.IsLost(ctx) {
				return failure // whoever has taken over the cluster's lock closes it
			}
			failure = errors.Join(failure, opened.Close(ctx, emit))
			if failure == nil {
				return nil
			}
			freed, err := day2.Undo(ctx, opened.Undo)
			for _, node := range freed {
				emit(provisioner.Event{Type: provisioner.TypeObject, Step: "cordon-" + node, Kind: "node", Name: node, Action: string(state.Updated),
					Text: "it is not cordoned any more: its replacement was given up"})
			}
			failure = errors.Join(failure, err)
			var refusal *recovery.RefusalError
			if errors.As(failure, &refusal) {
				failure = exit.WithCode(exit.Answers, failure)
			}
			return failure
		},
	}.Execute(ctx, shown, func(failure error, events string) { shown.Close(plan, failure, events) })
}
