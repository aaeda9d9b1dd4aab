// Package day2 runs the steps of a verb on a cluster that is installed: its events are recorded and shown, and the cluster is watched
// meanwhile.
package day2

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/provisioner/clusterevents"
	"exoshift/provisioner/openshift"
	"exoshift/state"
)

// Run is a plan that was agreed to.
type Run struct {
	Folder  state.Folder // locked
	Spec    state.Spec   // of the cluster before
	Net     network.Network
	Verb    string // such as nodes replace
	Title   string // what is begun, in the log: "replace nodes of c-demo-1"
	Program string // name, version and system of this program
	Steps   provisioner.Plan

	Decide      func(rule string, reply provisioner.Reply) // answers a question; nil: none is asked
	SetAttended func(attended func() bool)                 // nil: nobody has to know
	Begin       func(emit func(provisioner.Event))         // is called before the first step; nil: nothing is
	// End is called with the failure of the steps, or nil, and returns that of the run; nil: they are the same.
	End   func(ctx context.Context, emit func(provisioner.Event), failure error) error
	Retry func() string // the command that goes on with what is left
}

// Display shows a run.
type Display interface {
	// Open decouples the run from its readers, and begins to show it.
	Open(ctx context.Context, shown run.View) run.Renderer
}

// Execute runs the plan, and calls closeDisplay with how it ended and the path of the complete record. A failure of the run is
// marked as printed.
func (r Run) Execute(ctx context.Context, shown Display, closeDisplay func(failure error, events string)) error {
	events, err := r.Folder.Append(state.NodesFile)
	if err != nil {
		return err
	}
	defer events.Close()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	view := run.View{
		Spec: r.Spec, Folder: r.Folder, Kept: true, Verb: r.Verb, Plan: r.Steps, Now: r.Net.Clock.Now, Resume: r.Retry(), Events: events.Name(),
		Stop: func() { stop(context.Canceled) }, ApproveNewKeys: func() {}, Decide: r.Decide,
	}
	if view.Decide == nil {
		view.Decide = func(string, provisioner.Reply) {}
	}
	renderer := shown.Open(ctx, view)
	if r.SetAttended != nil {
		r.SetAttended(renderer.IsAttended)
	}
	record := json.NewEncoder(events)
	var failure, unwritten error
	cluster := openshift.NewCluster(r.Net, run.Run{Folder: r.Folder}.ReadKubeconfig) // a connection of the monitor alone
	defer cluster.Close()
	monitor := clusterevents.NewMonitor(cluster, r.Net.Clock)
	emit := provisioner.Stream(r.Net.Clock, func(e provisioner.Event) {
		monitor.Observe(e)
		unwritten = errors.Join(unwritten, record.Encode(e))
		renderer.Emit(e)
	})
	unshown := renderer.RunWith(func() {
		emit(provisioner.Event{
			Type: provisioner.TypeRun, State: provisioner.Started, Text: r.Title, Program: r.Program, Command: r.Retry(), Verb: r.Verb, Steps: listPlanned(r.Steps),
		})
		if r.Begin != nil {
			r.Begin(emit)
		}
		endWatch := watch(ctx, monitor, emit)
		failure = provisioner.Run(ctx, r.Steps, emit)
		if r.End != nil {
			failure = r.End(ctx, emit, failure)
		}
		endWatch()
		failure = errors.Join(failure, unwritten)
		emit(run.NewFinishedEvent(failure, r.Retry()))
	})
	closeDisplay(failure, events.Name())
	if failure != nil {
		return exit.MarkPrinted(failure)
	}
	return unshown
}

// lastPoll is for how long the last poll may take: whoever reads the end of the run waits for it.
const lastPoll = 10 * time.Second

// watch emits what changes in the cluster until end is called.
func watch(ctx context.Context, monitor *clusterevents.Monitor, emit func(provisioner.Event)) (end func()) {
	watching, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		monitor.Run(watching, emit)
	}()
	return func() {
		stop()
		<-ended
		last, cancel := context.WithTimeout(ctx, lastPoll)
		defer cancel()
		monitor.Finish(last, emit)
	}
}

func listPlanned(plan provisioner.Plan) []provisioner.PlannedStep {
	steps := make([]provisioner.PlannedStep, len(plan))
	for i, step := range plan {
		steps[i] = provisioner.PlannedStep{ID: step.ID, Title: step.Title, Phase: step.Phase, Needs: step.Needs, Usual: step.Usual.Seconds()}
	}
	return steps
}
