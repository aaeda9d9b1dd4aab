package nodes

import (
	"context"
	"errors"
	"slices"

	"exoshift/internal/app/day2"
	"exoshift/internal/app/run"
	"exoshift/provisioner"
	"exoshift/provisioner/balancers"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/nodes"
	"exoshift/provisioner/openshift/bootstraphost"
	"exoshift/state"
)

// balancerRoll replaces load balancers of a cluster.
type balancerRoll struct{ Cluster }

// openClients returns clients that record changes of the cloud in the journal.
func (c balancerRoll) openClients(journal state.Recorder) (clients balancers.Clients, disconnect func(), err error) {
	cloud, err := exoscale.New(c.Net, c.Spec.Exoscale.Zone, c.Secrets.APIKey, c.Secrets.APISecret, journal)
	if err != nil {
		return clients, nil, err
	}
	cluster := c.NewClient()
	host := bootstraphost.New(c.Net, c.Folder.Read, "", nil)
	clients = balancers.Clients{Cloud: cloud, Cluster: cluster, Outside: run.NewOutside(c.Net, host, run.Run{Folder: c.Folder}.ReadKubeconfig), Clock: c.Net.Clock}
	if c.AlterBalancers != nil {
		c.AlterBalancers(&clients)
	}
	return clients, func() { cloud.Close(); cluster.Close(); host.Close() }, nil
}

// run replaces load balancers one after the other. The folder must be locked, except for a dry run.
func (c balancerRoll) run(ctx context.Context, wanted Removal, r run.Run, shown Display) error {
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
	if err := c.waitUsable(ctx); err != nil {
		return err
	}
	facts := state.NewFactsStore(c.Facts, c.Folder.SaveFacts)
	add := c.newAdd(r, journal, facts)
	roll := balancers.New(c.Spec, facts, clients, func(ctx context.Context, report provisioner.Report) error { return add(ctx, report, c.Spec) })
	undo := func(ctx context.Context, keep []string) ([]provisioner.Event, error) {
		restored, err := day2.Undo(ctx, func(ctx context.Context) ([]string, error) { return roll.Undo(ctx, keep) })
		switched, failure := restoreStorage(ctx, c.Cluster, facts, journal)
		events := describeUndone("hand-over-", state.KindInstance, restored, "it has the elastic IPs again: its replacement was given up")
		return append(events, switched...), errors.Join(err, failure)
	}
	return procedure{
		verb: "replace", work: roll, undo: undo,
		prepare: func(ctx context.Context, wanted Removal) (Plan, error) { return c.prepare(ctx, roll, wanted, r) },
	}.carryOut(ctx, c.Cluster, wanted, shown)
}

// prepare returns refusals for the sake of the cluster with their exit code.
func (c balancerRoll) prepare(ctx context.Context, roll *balancers.Roll, wanted Removal, r run.Run) (Plan, error) {
	check := func(ctx context.Context) error { return roll.Prepare(ctx, wanted.Names) }
	if err := c.waitPrepared(ctx, check, wanted); err != nil {
		return Plan{}, err
	}
	if !roll.IsBegun() {
		if err := checkInstalled(ctx, "replace load balancers", r); err != nil {
			return Plan{}, err
		}
	}
	return Plan{Balancers: roll.Targets(), Steps: roll.Plan(), Retry: wanted.FormatRetry(wanted.Names)}, nil
}

// hasBalancer reports whether some of the names are those of load balancers.
func hasBalancer(spec state.Spec, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return balancers.HasBalancer(spec, name) })
}

func indexes(all []nodes.Node) []int {
	list := make([]int, len(all))
	for i := range list {
		list[i] = i
	}
	return list
}

func describeFailure(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
