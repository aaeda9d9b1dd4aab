package nodes

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"exoshift/internal/app/changes"
	"exoshift/internal/app/day2"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/nodes"
	"exoshift/state"
	"exoshift/wizard/answersfile"
)

// storageAddition adds a storage node to a cluster with Ceph, which then uses its disk.
type storageAddition struct {
	Cluster
	after state.Spec // the answers with the node
	names []string   // of the nodes to add
}

func newStorageAddition(c Cluster, after state.Spec) storageAddition {
	if isAdding(c) {
		return storageAddition{c, after, []string{c.Facts.Storage.Node}}
	}
	return storageAddition{c, after, listAdded(c.Spec, after)}
}

// hasCeph reports whether the nodes of a group keep data in Ceph.
func hasCeph(ctx context.Context, c Cluster, group string) (bool, error) {
	if group != state.FormatGroup(state.RoleStorage) {
		return false, nil
	}
	clients, disconnect, err := c.OpenClients(state.NoJournal{})
	if err != nil {
		return false, err
	}
	defer disconnect()
	_, err = clients.Cluster.GetCephSetup(ctx)
	switch {
	case fault.Is(err, fault.NotFound):
		return false, nil
	case fault.Is(err, fault.Conflict): // it is set up in a way that is refused later
		return true, nil
	}
	return err == nil, err
}

// isAdding reports whether an earlier run has begun to add a storage node that the answers have.
func isAdding(c Cluster) bool {
	return c.Facts.Storage != nil && c.Facts.Storage.Added && hasStorage(c, c.Facts.Storage.Node)
}

func hasStorage(c Cluster, name string) bool {
	return slices.ContainsFunc(c.Spec.Machines(state.RoleStorage), func(m state.Machine) bool { return m.Name == name })
}

// checkStorageChange reports whether an addition to the group goes on with one that was begun. It refuses any other addition while a change of
// a storage node has not ended: what that has switched would stay so.
func checkStorageChange(c Cluster, role state.Role) (adding bool, err error) {
	known := c.Facts.Storage
	if known == nil {
		return false, nil
	}
	removal := c.Facts.FindRemoval(known.Node)
	ends := "exoshift nodes add --group storage --count 1"
	switch {
	case removal != nil:
		ends = nodes.FormatCommand(*removal)
	case known.Added || !hasStorage(c, known.Node): // an addition, which has put the answers in force, or has not yet
		if role == state.RoleStorage {
			return isAdding(c), nil
		}
	default:
		ends = fmt.Sprintf("exoshift nodes replace %s, or exoshift nodes remove %s", known.Node, known.Node)
	}
	return false, exit.WithCode(exit.Answers, fault.Newf(fault.Conflict, opAdd, "nothing was changed: the change of the storage node %s has not ended", known.Node).
		WithHint("end it first: %s", ends))
}

// restoreStorage switches back what a change of a storage node that was killed has left switched.
func restoreStorage(ctx context.Context, c Cluster, facts *state.FactsStore, journal state.Recorder) ([]provisioner.Event, error) {
	if known := facts.Get().Storage; known == nil || !known.IsSwitched() {
		return nil, nil
	}
	clients, disconnect, err := c.OpenClients(journal)
	if err != nil {
		return nil, err
	}
	defer disconnect()
	switched, err := day2.Undo(ctx, func(ctx context.Context) ([]string, error) { return nodes.RestoreStorage(ctx, facts, clients, journal) })
	return describeSwitched(switched), err
}

// run adds the node, or ends an addition that was begun. The folder must be locked, except for a dry run.
func (c storageAddition) run(ctx context.Context, wanted Addition, r run.Run, shown AdditionDisplay) error {
	if wanted.Count != 1 || len(c.names) != 1 {
		return exit.WithCode(exit.Answers, errors.New("nothing was changed: storage nodes with Ceph are added one at a time: give --count 1"))
	}
	journal, closeJournal, err := c.OpenJournal(wanted.DryRun)
	if err != nil {
		return err
	}
	defer closeJournal()
	clients, disconnect, err := c.OpenClients(journal)
	if err != nil {
		return err
	}
	defer disconnect()
	facts := state.NewFactsStore(c.Facts, c.Folder.SaveFacts)
	options := nodes.Options{Journal: journal, Commit: c.newCommit(facts), Add: c.newAdd(r, journal, facts)}
	if c.Spec.Syn.LieutenantURL != "" {
		options.Configure = newConfigure(r, journal)
	}
	work := nodes.NewStorageAddition(c.after, c.names[0], facts, clients, options)
	preview, err := c.prepare(ctx, wanted, r, work)
	if err != nil {
		return err
	}
	if err := shown.ShowPreview(preview); err != nil {
		return err
	}
	if err := changes.CheckPlan(preview.Preview); err != nil || wanted.DryRun {
		return err
	}
	if err := shown.Confirm(ctx); err != nil {
		return err
	}
	return c.execute(ctx, wanted, preview, work, shown)
}

// prepare returns refusals for the sake of Ceph with their exit code.
func (c storageAddition) prepare(ctx context.Context, wanted Addition, r run.Run, work *nodes.StorageAddition) (preview AdditionPreview, err error) {
	if err := c.waitPrepared(ctx, work.Prepare, Removal{DryRun: wanted.DryRun}); err != nil {
		return preview, err
	}
	if !work.IsBegun() {
		if err := checkInstalled(ctx, opAdd, r); err != nil {
			return preview, err
		}
	}
	r.Spec = c.after
	answers := c.Spec.WithCount(state.RoleStorage, len(c.after.Machines(state.RoleStorage))-1) // before it was begun
	preview = AdditionPreview{Spec: c.after, Names: c.names, Changes: answersfile.Diff(answers, c.after), Steps: work.Plan(), Warnings: work.Warnings(), Retry: wanted.Retry}
	preview.Preview, err = r.Preview(ctx)
	return preview, err
}

func (c storageAddition) execute(ctx context.Context, wanted Addition, preview AdditionPreview, work *nodes.StorageAddition, shown AdditionDisplay) error {
	return day2.Run{
		Folder: c.Folder, Spec: c.Spec, Net: c.Net, Verb: "nodes add", Title: fmt.Sprintf("add %s to %s", c.names[0], c.Spec.Cluster.ID), Program: wanted.Program,
		Steps: preview.Steps, Retry: func() string { return wanted.Retry },
		End: func(ctx context.Context, emit func(provisioner.Event), failure error) error {
			if failure == nil {
				return c.rewriteHandover()
			}
			switched, err := day2.Undo(ctx, work.Undo)
			for _, event := range describeSwitched(switched) {
				emit(event)
			}
			return errors.Join(failure, err)
		},
	}.Execute(ctx, shown, func(failure error, events string) { shown.End(preview, failure, events) })
}
