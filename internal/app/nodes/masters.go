package nodes

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"exoshift/internal/app/day2"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/install/preflight"
	"exoshift/provisioner/nodes"
	"exoshift/provisioner/nodes/masters"
	"exoshift/state"
	"exoshift/wizard/answersfile"
)

func hasMaster(spec state.Spec, names []string) bool {
	return slices.ContainsFunc(spec.Machines(state.RoleMaster), func(m state.Machine) bool { return slices.Contains(names, m.Name) })
}

// masterChange changes masters of a cluster.
type masterChange struct{ Cluster }

// replace replaces masters one after the other by machines of the same name: an installation makes those that are missing.
func (c masterChange) replace(ctx context.Context, wanted Removal, install Installer, shown Display) error {
	return c.run(ctx, wanted, "replace", c.Spec, &install, shown)
}

// resize gives the machines of all masters the type of the answers after it.
func (c masterChange) resize(ctx context.Context, after state.Spec, wanted Removal, shown Display) error {
	var err error
	if wanted.Names, err = listOtherSizes(ctx, c.Cluster, state.RoleMaster, after); err != nil {
		return err
	}
	if len(wanted.Names) == 0 {
		return exit.WithCode(exit.Answers, refuseSize("every machine of %s is of the type %s already", state.FormatGroup(state.RoleMaster), after.Group(state.RoleMaster).Type))
	}
	return c.run(ctx, wanted, "resize", after, nil, shown)
}

// run changes one master after the other; install nil: their machines stay.
func (c masterChange) run(ctx context.Context, wanted Removal, verb string, spec state.Spec, install *Installer, shown Display) error {
	if wanted.Parallel > 1 {
		return exit.WithCode(exit.Answers, fault.Newf(fault.Conflict, verb+" masters", "nothing was changed: masters are changed one at a time, and --parallel is %d", wanted.Parallel))
	}
	journal, closeJournal, err := c.OpenJournal(wanted.DryRun)
	if err != nil {
		return err
	}
	defer closeJournal()
	clients, disconnect, err := c.openClients(journal)
	if err != nil {
		return err
	}
	defer disconnect()
	if err := c.waitAnswer(ctx, nodes.Clients{Cloud: clients.Cloud, Cluster: clients.Cluster, Clock: clients.Clock}); err != nil {
		return err
	}
	facts := state.NewFactsStore(c.Facts, c.Folder.SaveFacts)
	backup, err := NewBackupSource(c.Cluster, wanted.Program, wanted.ReadKeys).Require(ctx, wanted.Backup, c.Now(), journal)
	if err != nil {
		return err
	}
	options := masters.Options{Backup: backup, Options: nodes.Options{
		Verb: verb, Timeout: wanted.Timeout, DeleteEmptyDir: wanted.DeleteEmptyDir, Force: wanted.Force, Journal: journal, Commit: c.newCommit(facts),
	}}
	check := func(context.Context) error { return nil }
	if install != nil {
		r, err := c.openRun(ctx, *install)
		if err != nil {
			return err
		}
		options.Add = c.newAdd(r, journal, facts)
		check = func(ctx context.Context) error { return c.checkBefore(ctx, wanted, verb, r) }
	}
	return c.carryOut(ctx, wanted, mastersTask{verb, masters.NewChange(spec, facts, clients, options), check, facts, clients, journal}, shown)
}

// openClients returns clients that record changes of the cloud in the journal.
func (c masterChange) openClients(journal state.Recorder) (clients masters.Clients, disconnect func(), err error) {
	cloud, err := exoscale.New(c.Net, c.Spec.Exoscale.Zone, c.Secrets.APIKey, c.Secrets.APISecret, journal)
	if err != nil {
		return clients, nil, err
	}
	cluster := c.NewClient()
	clients = masters.Clients{Cloud: cloud, Cluster: cluster, Clock: c.Net.Clock}
	if c.AlterMasters != nil {
		c.AlterMasters(&clients)
	}
	return clients, func() { cloud.Close(); cluster.Close() }, nil
}

// checkBefore requires that nothing but the masters is to be installed, unless their change was begun or their machines are gone.
func (c masterChange) checkBefore(ctx context.Context, wanted Removal, verb string, r run.Run) error {
	all, err := c.List(ctx, false)
	if err != nil {
		return err
	}
	for _, node := range all {
		if slices.Contains(wanted.Names, node.Name) && (node.Removal != nil || node.Machine == nil || node.Node == nil) {
			return nil
		}
	}
	return checkInstalled(ctx, verb+" masters", r)
}

// mastersTask is what is done with masters.
type mastersTask struct {
	verb    string
	change  *masters.Change
	check   func(context.Context) error // of what has to hold beyond the health of the cluster
	facts   *state.FactsStore
	clients masters.Clients
	journal state.Recorder
}

func (c masterChange) carryOut(ctx context.Context, wanted Removal, do mastersTask, shown Display) error {
	undo := func(ctx context.Context, keep []string) ([]provisioner.Event, error) {
		freed, err := day2.Undo(ctx, func(ctx context.Context) ([]string, error) {
			return nodes.Undo(ctx, do.facts, do.clients.Cluster, keep)
		})
		switched, failure := restoreStorage(ctx, c.Cluster, do.facts, do.journal)
		events := describeUndone("cordon-", nodes.KindNode, freed, "it is not cordoned any more: what was begun with it was given up")
		return append(events, switched...), errors.Join(err, failure)
	}
	return procedure{
		verb: do.verb, work: do.change, undo: undo,
		prepare: func(ctx context.Context, wanted Removal) (Plan, error) { return c.prepare(ctx, do, wanted) },
	}.carryOut(ctx, c.Cluster, wanted, shown)
}

func (c masterChange) prepare(ctx context.Context, do mastersTask, wanted Removal) (plan Plan, err error) {
	change := do.change
	check := func(ctx context.Context) error { return change.Prepare(ctx, wanted.Names) }
	if err := c.waitPrepared(ctx, check, wanted); err != nil {
		return plan, err
	}
	if err := do.check(ctx); err != nil {
		return plan, err
	}
	plan = Plan{Targets: change.Targets(), Steps: change.Plan(), Changes: answersfile.Diff(c.Spec, change.After()), Retry: wanted.FormatRetry(wanted.Names), Kept: change.IsResize()}
	members, err := change.DescribeEtcd(ctx)
	if err != nil {
		return plan, err
	}
	plan.Etcd = &members
	if plan.Kept {
		cost, err := preflight.Estimate(change.After())
		if err != nil {
			return plan, fmt.Errorf("estimate the cost: %w", err)
		}
		plan.Cost = &cost
	}
	return plan, nil
}
