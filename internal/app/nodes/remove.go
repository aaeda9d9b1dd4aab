package nodes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"exoshift/internal/app/changes"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/day2"
	"exoshift/internal/app/etcdbackup"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/backup"
	"exoshift/provisioner/balancers"
	"exoshift/provisioner/install/preflight"
	"exoshift/provisioner/nodes"
	"exoshift/state"
	"exoshift/wizard/answersfile"
)

// Removal is what a person decides about a removal.
type Removal struct {
	Names          []string
	Timeout        time.Duration // of the evictions from one node
	DeleteEmptyDir bool
	Force          bool
	Parallel       int
	DryRun         bool
	Window         Window            // in which it may begin
	Backup         etcdbackup.Choice // of etcd, before a master is changed
	// ReadKeys returns whom a backup is encrypted to that is made before a master is changed; nil: none is made.
	ReadKeys func(ctx context.Context) (backup.Keys, error)
	Program  string // name, version and system of this program
	// FormatRetry returns the command that goes on with those of the nodes that are left.
	FormatRetry func(names []string) string
}

// Display shows a removal to a person or a program, and asks before anything is changed.
type Display interface {
	// ShowPlan shows what would be changed.
	ShowPlan(plan Plan) error
	// Confirm returns an error unless all that may be changed.
	Confirm(ctx context.Context) error
	// Warn shows a line beside the removal.
	Warn(line string)
	// Open decouples the removal from its readers, and begins to show it.
	Open(ctx context.Context, shown run.View) run.Renderer
	// Close shows how the removal ended, and waits for readers.
	Close(plan Plan, failure error, events string)
}

// Plan is what a removal would change.
type Plan struct {
	Targets []nodes.Target
	// Balancers are load balancers that are replaced; then there are no other targets.
	Balancers []balancers.Target
	Steps     provisioner.Plan
	Changes   []answersfile.Change // of the answers
	// Configuration is how that of the tenant changes, and Unseen why that is not known.
	Configuration state.Difference
	Unseen        string
	Cost          *preflight.Cost    // of the cluster afterwards; nil: nothing is added
	Start         time.Time          // before which nothing is changed; zero: at once
	Etcd          *provisioner.Event // the members of etcd as they are; nil: no master is changed
	Kept          bool               // the machines stay, and get another type
	Retry         string             // the command that goes on with what is left of it
}

// Remove removes nodes. The folder must be locked, except for a dry run.
func (c Cluster) Remove(ctx context.Context, wanted Removal, install Installer, shown Display) error {
	do := task{verb: "remove", spec: c.Spec}
	if c.Spec.Syn.LieutenantURL != "" {
		r, err := c.openRun(ctx, install)
		if err != nil {
			return err
		}
		do.configure = &r
	}
	return c.carryOut(ctx, wanted, do, shown)
}

// Replace adds a node for each, and removes it then. The folder must be locked, except for a dry run.
func (c Cluster) Replace(ctx context.Context, wanted Removal, install Installer, shown Display) error {
	if hasMaster(c.Spec, wanted.Names) {
		return masterChange{c}.replace(ctx, wanted, install, shown)
	}
	return c.replace(ctx, wanted, install, task{verb: "replace", spec: c.Spec}, shown)
}

func (c Cluster) replace(ctx context.Context, wanted Removal, install Installer, do task, shown Display) error {
	if err := clusterdir.CheckRotated(c.Facts); err != nil { // the machines would be made with keys that are being replaced
		return err
	}
	r, err := c.openRun(ctx, install)
	if err != nil {
		return err
	}
	r.Options.Replaced = wanted.Names
	if hasBalancer(c.Spec, wanted.Names) {
		return balancerRoll{c}.run(ctx, wanted, r, shown)
	}
	do.install = &r
	return c.carryOut(ctx, wanted, do, shown)
}

// Resize replaces the nodes of a group whose machines are of another size by others that have it; the answers get it, too. The folder must
// be locked, except for a dry run.
func (c Cluster) Resize(ctx context.Context, size Size, wanted Removal, install Installer, shown Display) error {
	role, after, err := resize(c, size)
	if err != nil {
		return err
	}
	if role == state.RoleMaster {
		return masterChange{c}.resize(ctx, after, wanted, shown)
	}
	if wanted.Names, err = listOtherSizes(ctx, c, role, after); err != nil {
		return err
	}
	if len(wanted.Names) == 0 {
		group := after.Group(role)
		return exit.WithCode(exit.Answers, refuseSize("every machine of %s is of the type %s with %d GiB already", size.Group, group.Type, group.RootDisk+group.DataDisk))
	}
	return c.replace(ctx, wanted, install, task{verb: "resize", spec: after}, shown)
}

// task is what is done with nodes.
type task struct {
	verb      string
	spec      state.Spec // the answers, with the machines that take the place of others
	install   *run.Run   // makes those machines; nil: none takes the place of another
	configure *run.Run   // changes the configuration of the tenant; nil: the node counts stay, or nothing has them
}

func (c Cluster) carryOut(ctx context.Context, wanted Removal, do task, shown Display) error {
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
	if err := c.waitAnswer(ctx, clients); err != nil {
		return err
	}
	facts := state.NewFactsStore(c.Facts, c.Folder.SaveFacts)
	options := nodes.Options{
		Verb: do.verb, Timeout: wanted.Timeout, DeleteEmptyDir: wanted.DeleteEmptyDir, Force: wanted.Force, Parallel: wanted.Parallel,
		Journal: journal, Commit: c.newCommit(facts),
	}
	if do.install != nil {
		options.Add = c.newAdd(*do.install, journal, facts)
	}
	if do.configure != nil {
		options.Configure = newConfigure(*do.configure, journal)
	}
	removal := nodes.NewRemoval(do.spec, facts, clients, options)
	undo := func(ctx context.Context, keep []string) ([]provisioner.Event, error) {
		freed, err := day2.Undo(ctx, func(ctx context.Context) ([]string, error) { return nodes.Undo(ctx, facts, clients.Cluster, keep) })
		switched, failure := day2.Undo(ctx, func(ctx context.Context) ([]string, error) { return removal.Undo(ctx, keep) })
		events := describeUndone("cordon-", nodes.KindNode, freed, "it is not cordoned any more: its removal was given up")
		return append(events, describeSwitched(switched)...), errors.Join(err, failure)
	}
	return procedure{
		verb: do.verb, work: removal, undo: undo,
		prepare: func(ctx context.Context, wanted Removal) (Plan, error) { return c.prepare(ctx, removal, wanted, do) },
	}.carryOut(ctx, c, wanted, shown)
}

// newCommit writes the facts first: with them alone, the answers still ask for the node.
func (c Cluster) newCommit(facts *state.FactsStore) func(state.Spec, func(*state.Facts)) error {
	return func(spec state.Spec, change func(*state.Facts)) error {
		if err := facts.Update(change); err != nil {
			return err
		}
		return c.Folder.Write(state.AnswersFile, answersfile.Export(spec, nil))
	}
}

// maintenanceLimit is for how long a cluster that is not well is waited for where a maintenance window begins with the maintenance.
const maintenanceLimit = 3 * time.Hour

// prepare returns refusals for the sake of the cluster with their exit code.
func (c Cluster) prepare(ctx context.Context, removal *nodes.Removal, wanted Removal, do task) (Plan, error) {
	prepare := func(ctx context.Context) error { return removal.Prepare(ctx, wanted.Names) }
	if err := c.waitPrepared(ctx, prepare, wanted); err != nil {
		return Plan{}, err
	}
	after := removal.After()
	if problems := describeProblems(c.Spec, after); problems != "" {
		return Plan{}, exit.WithCode(exit.Answers, fmt.Errorf("nothing was changed: the answers would have faults: %s", problems))
	}
	plan := Plan{Targets: removal.Targets(), Steps: removal.Plan(), Changes: answersfile.Diff(c.Spec, after), Retry: wanted.FormatRetry(wanted.Names)}
	if do.configure != nil {
		if err := checkConfiguration(ctx, *do.configure, &plan, after, wanted); err != nil {
			return Plan{}, err
		}
	}
	if do.install == nil {
		return plan, nil
	}
	if err := c.checkAddition(ctx, removal, *do.install, do.verb); err != nil {
		return Plan{}, err
	}
	cost, err := preflight.Estimate(after)
	plan.Cost = &cost
	return plan, err
}

// waitPrepared calls prepare until it finds the cluster well, where that is known to become so by itself. Refusals have their exit code.
func (c Cluster) waitPrepared(ctx context.Context, prepare func(context.Context) error, wanted Removal) error {
	limit := time.Duration(0)
	if wanted.Window.Maintenance && !wanted.DryRun {
		limit = maintenanceLimit
	}
	var failure error
	err := c.PollReview(ctx, limit, func(ctx context.Context, _ provisioner.Report) error {
		if failure = prepare(ctx); nodes.IsUnwell(failure) {
			return failure
		}
		return nil
	})
	if err != nil {
		return err
	}
	if fault.Is(failure, fault.Conflict) {
		failure = exit.WithCode(exit.Answers, failure)
	}
	return failure
}

// describeUndone returns the events of what was undone of given-up steps.
func describeUndone(step, kind string, names []string, text string) (events []provisioner.Event) {
	for _, name := range names {
		events = append(events, provisioner.Event{Type: provisioner.TypeObject, Step: step + name, Phase: nodes.Phase, Kind: kind, Name: name, Action: string(state.Updated), Text: text})
	}
	return events
}

// describeSwitched returns the events of what was switched back after the change of a storage node.
func describeSwitched(parts []string) (events []provisioner.Event) {
	for _, part := range parts {
		events = append(events, provisioner.Event{Type: provisioner.TypeObject, Phase: nodes.Phase, Kind: "ceph", Name: part, Action: string(state.Updated), Text: "switched back, as the change of a storage node was given up"})
	}
	return events
}

// execution is a plan that was agreed to.
type execution struct {
	verb string
	plan Plan
	work work
	undo func(context.Context) ([]provisioner.Event, error) // is called if not all of it was done
}

// work is what a plan does.
type work interface {
	Decide(rule string, reply provisioner.Reply)
	SetAttended(attended func() bool)
	// EmitTargets emits the targets, before anything is done with them.
	EmitTargets(report provisioner.Report)
	// ListLeft returns the names to give to the verb again for what is left.
	ListLeft() []string
}

// execute runs the plan.
func (c Cluster) execute(ctx context.Context, wanted Removal, do execution, shown Display) error {
	retry := func() string { return wanted.FormatRetry(do.work.ListLeft()) }
	return day2.Run{
		Folder: c.Folder, Spec: c.Spec, Net: c.Net, Verb: "nodes " + do.verb, Title: do.verb + " nodes of " + c.Spec.Cluster.ID, Program: wanted.Program,
		Steps: do.plan.Steps, Decide: do.work.Decide, SetAttended: do.work.SetAttended, Retry: retry,
		Begin: func(emit func(provisioner.Event)) { do.work.EmitTargets(emit) },
		End: func(ctx context.Context, emit func(provisioner.Event), failure error) error {
			if failure == nil {
				return c.rewriteHandover()
			}
			undone, err := do.undo(ctx)
			for _, event := range undone {
				emit(event)
			}
			return errors.Join(failure, err)
		},
	}.Execute(ctx, shown, func(failure error, events string) {
		if failure != nil {
			do.plan.Retry = retry()
		}
		shown.Close(do.plan, failure, events)
	})
}

// rewriteHandover keeps the page true, if there is one.
func (c Cluster) rewriteHandover() error {
	if _, err := c.Folder.Read(state.HandoverFile); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	spec, err := clusterdir.ReadAnswers(c.Folder)
	if err != nil {
		return err
	}
	page, err := clusterdir.BuildHandover(c.Folder, spec, true)
	if err != nil {
		return err
	}
	return c.Folder.Write(state.HandoverFile, page.RenderMarkdown())
}

// newAdd returns what makes the machines of answers in force that are missing.
func (c Cluster) newAdd(r run.Run, journal state.Recorder, facts *state.FactsStore) func(context.Context, provisioner.Report, state.Spec) error {
	return func(ctx context.Context, report provisioner.Report, spec state.Spec) error {
		r.Spec = spec
		err := r.Apply(ctx, journal, report)
		known, unread := c.Folder.LoadFacts()
		if unread == nil {
			unread = facts.Update(func(f *state.Facts) { *f = known })
		}
		return errors.Join(err, unread)
	}
}

// checkAddition requires that an installation could make the first machines now, and that it would make nothing else.
func (c Cluster) checkAddition(ctx context.Context, removal *nodes.Removal, r run.Run, verb string) error {
	begun := slices.ContainsFunc(removal.Targets(), func(t nodes.Target) bool { return t.Removal != nil && t.Removal.ReplacedBy != "" })
	if !begun {
		if err := checkInstalled(ctx, verb+" nodes", r); err != nil {
			return err
		}
	}
	spec, adds := removal.FirstAddition()
	if !adds {
		return nil
	}
	r.Spec = spec
	preview, err := r.PreviewNamed(ctx)
	if err != nil {
		return err
	}
	return changes.CheckPlan(preview)
}
