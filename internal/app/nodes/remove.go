package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/nodes"
	"exoshift/state"
	"exoshift/state/lease"
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
	Program        string // name, version and system of this program
	Retry          string // the command that goes on with it
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
	Steps   provisioner.Plan
	Changes []answersfile.Change // of the answers
}

// Remove removes nodes. The folder must be locked, except for a dry run.
func (c Cluster) Remove(ctx context.Context, wanted Removal, shown Display) error {
	journal, closeJournal, err := c.openJournal(wanted)
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
	removal := nodes.NewRemoval(c.Spec, facts, clients, nodes.Options{
		Timeout: wanted.Timeout, DeleteEmptyDir: wanted.DeleteEmptyDir, Force: wanted.Force, Parallel: wanted.Parallel,
		Journal: journal, Commit: c.newCommit(facts),
	})
	plan, err := c.prepare(ctx, removal, wanted)
	if err != nil {
		return err
	}
	if err := shown.ShowPlan(plan); err != nil || wanted.DryRun {
		return err
	}
	if err := shown.Confirm(ctx); err != nil {
		return err
	}
	freed, err := c.undo(ctx, facts, clients, wanted.Names)
	for _, node := range freed {
		shown.Warn(node + " is not cordoned any more: its removal was given up")
	}
	if err != nil {
		return err
	}
	return c.execute(ctx, wanted, plan, shown, func(ctx context.Context) ([]string, error) { return c.undo(ctx, facts, clients, nil) })
}

func (c Cluster) openJournal(wanted Removal) (journal state.Recorder, closeJournal func(), err error) {
	if wanted.DryRun {
		return state.NoJournal{}, func() {}, nil
	}
	opened, err := c.Folder.OpenJournal(c.Net.Clock.Now)
	return opened, func() { _ = opened.Close() }, err // each entry is synced already
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

// settleLimit is for how long the machines of a rehearsal may take until their cluster is well again, once its zone is opened.
const settleLimit = 20 * time.Minute

// prepare returns refusals for the sake of the cluster with their exit code.
func (c Cluster) prepare(ctx context.Context, removal *nodes.Removal, wanted Removal) (Plan, error) {
	check := func(ctx context.Context, _ provisioner.Report) error { return removal.Prepare(ctx, wanted.Names) }
	var failure error
	if c.Facts.Rehearsal {
		err := provisioner.PollUntil(c.Net.Clock, 10*time.Second, settleLimit, func(ctx context.Context, report provisioner.Report) error {
			if failure = check(ctx, report); nodes.IsUnwell(failure) {
				return failure
			}
			return nil
		})(ctx, func(provisioner.Event) {})
		if failure == nil {
			failure = err
		}
	} else {
		failure = check(ctx, nil)
	}
	if fault.Is(failure, fault.Conflict) {
		failure = exit.WithCode(exit.Answers, failure)
	}
	if failure != nil {
		return Plan{}, failure
	}
	after := removal.After()
	if problems := describeProblems(c.Spec, after); problems != "" {
		return Plan{}, exit.WithCode(exit.Answers, fmt.Errorf("nothing was changed: the answers would have faults: %s", problems))
	}
	return Plan{Targets: removal.Targets(), Steps: removal.Plan(), Changes: answersfile.Diff(c.Spec, after)}, nil
}

// undoTimeout is for how long the cordons of a removal that failed are tried to be ended.
const undoTimeout = time.Minute

// undo ends the cordons that no removal needs, also after the run was stopped; whoever has taken over the cluster's lock does it
// otherwise. It returns the nodes that are in use again.
func (c Cluster) undo(ctx context.Context, facts *state.FactsStore, clients nodes.Clients, keep []string) (freed []string, err error) {
	var lost *lease.LostError
	if errors.As(context.Cause(ctx), &lost) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	return nodes.Undo(ctx, facts, clients.Cluster, keep)
}

// execute runs the plan; undo is called if not all of it was done.
func (c Cluster) execute(ctx context.Context, wanted Removal, plan Plan, shown Display, undo func(context.Context) ([]string, error)) error {
	events, err := c.Folder.Append(state.NodesFile)
	if err != nil {
		return err
	}
	defer events.Close()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	renderer := shown.Open(ctx, run.View{
		Spec: c.Spec, Folder: c.Folder, Kept: true, Plan: plan.Steps, Now: c.Net.Clock.Now, Resume: wanted.Retry, Events: events.Name(),
		Stop: func() { stop(context.Canceled) }, ApproveNewKeys: func() {}, Decide: func(string, provisioner.Reply) {},
	})
	record := json.NewEncoder(events)
	var failure, unwritten error
	emit := provisioner.Stream(c.Net.Clock, func(e provisioner.Event) {
		unwritten = errors.Join(unwritten, record.Encode(e))
		renderer.Emit(e)
	})
	unshown := renderer.RunWith(func() {
		emit(provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Started, Text: "remove nodes of " + c.Spec.Cluster.ID, Program: wanted.Program, Command: wanted.Retry})
		failure = provisioner.Run(ctx, plan.Steps, emit)
		if failure != nil {
			freed, err := undo(ctx)
			for _, node := range freed {
				emit(provisioner.Event{Type: provisioner.TypeObject, Step: "cordon-" + node, Phase: nodes.Phase, Kind: nodes.KindNode, Name: node,
					Action: string(state.Updated), Text: "it is not cordoned any more: its removal was given up"})
			}
			failure = errors.Join(failure, err)
		} else {
			failure = errors.Join(unwritten, c.rewriteHandover())
		}
		emit(run.NewFinishedEvent(failure, wanted.Retry))
	})
	shown.Close(plan, failure, events.Name())
	if failure != nil {
		return exit.MarkPrinted(failure)
	}
	return unshown
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
