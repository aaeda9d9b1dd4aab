package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"exoshift/internal/app/changes"
	"exoshift/internal/app/run"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/console"
	"exoshift/internal/console/outlet"
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/state"
	"exoshift/state/shared"
	"exoshift/tui/dashboard"
	"exoshift/wizard"

	"golang.org/x/term"
)

// Display shows a run on the streams of the process.
type Display struct {
	Output output
	ascii  bool // the dashboard uses only ASCII
	silent bool // it neither rings the bell nor notifies
	Std    Streams
	shared string // where the record of a run is, instead of at its path; or ""
	// receive waits for what is asked of the run from elsewhere; nil: nothing is.
	receive func(ctx context.Context, handle func(shared.Command))
}

// ShowAnswers prints answers that differ from those in force.
func (s Display) ShowAnswers(answers []changes.Answer) {
	console.PrintAnswerChanges(s.Std.Err, answers)
}

// ShowProblems prints what is wrong with the answers.
func (s Display) ShowProblems(problems []wizard.Problem) {
	console.PrintProblems(s.Std.Err, problems)
}

// Warn prints a line to the standard error.
func (s Display) Warn(line string) { fmt.Fprintln(s.Std.Err, line) }

// Open returns the renderer of a run.
func (s Display) Open(ctx context.Context, shown run.View) run.Renderer {
	s.Std.StartRun(s.Output, cmp.Or(s.shared, shown.Events))
	if s.receive != nil {
		go s.receive(ctx, func(command shared.Command) { applyCommand(shown, command) })
	}
	switch s.Output {
	case OutputTUI:
		return s.NewDashboard(ctx, shown)
	case OutputAccessible:
		return s.NewSpokenRenderer(ctx, shown)
	case OutputJSON:
		return newLineRenderer(console.NewJSON(s.Std.Out))
	}
	return newLineRenderer(console.NewPlain(s.Std.Out))
}

// Close prints the summary of a run, and waits a moment for readers that are behind.
func (s Display) Close(end run.Outcome) {
	if !s.Output.IsJSON() {
		console.PrintSummary(s.Output.WrapWriter(s.Std.Out), end.Board, end.Facts, end.Locations)
	}
	s.Std.EndRun(cmp.Or(s.shared, end.Events), end.Log)
}

func newLineRenderer(emit func(provisioner.Event)) run.Renderer {
	return run.Renderer{Emit: emit, RunWith: func(body func()) error { body(); return nil }}
}

// NewDashboard runs the body beside the terminal interface. Quitting it early, or the end of ctx, stops the body, and waits
// for that; if the interface fails, the body continues with plain lines. A terminal that blocks does not delay the body: its
// screen is abandoned once the run was stopped.
func (s Display) NewDashboard(ctx context.Context, shown run.View) run.Renderer {
	std, stop := s.Std, shown.Stop
	events, closed := newEventQueue(), make(chan struct{})
	plain := console.NewPlain(std.Out)
	return run.Renderer{
		IsAttended: func() bool {
			select {
			case <-closed:
				return false
			default:
				return true
			}
		},
		Emit: func(e provisioner.Event) {
			select {
			case <-closed:
				plain(e)
			default:
				events.add(e)
			}
		},
		RunWith: func(body func()) error {
			done, ended, restore := make(chan struct{}), make(chan error, 1), terminalState(std.In)
			go func() {
				defer close(done)
				body()
				events.close()
			}()
			go func() { ended <- dashboard.Run(ctx, s.newDashboardOptions(shown, events.delivered)) }()
			err := awaitScreen(ctx, ended, done)
			if errors.Is(err, outlet.ErrUnread) {
				restore()
			}
			close(closed)
			if errors.Is(err, dashboard.ErrLeft) || ctx.Err() != nil {
				stop()
				err = nil
			}
			<-done
			return err
		},
	}
}

// awaitScreen returns the error of the screen. After the end of ctx, it abandons a screen that does not end in time.
func awaitScreen(ctx context.Context, ended <-chan error, done <-chan struct{}) error {
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	<-done
	stalled := time.NewTimer(outlet.DrainTimeout) // by the wall clock, in a rehearsal too
	defer stalled.Stop()
	select {
	case err := <-ended:
		return err
	case <-stalled.C:
		return outlet.ErrUnread
	}
}

// terminalState returns a function that restores the current state of the terminal.
func terminalState(in io.Reader) (restore func()) {
	file, is := in.(*os.File)
	if !is {
		return func() {}
	}
	state, err := term.GetState(int(file.Fd()))
	if err != nil {
		return func() {}
	}
	return func() { _ = term.Restore(int(file.Fd()), state) } // it may be closed
}

// eventQueue delivers every event in order, without blocking writers.
type eventQueue struct {
	delivered chan provisioner.Event

	mu      sync.Mutex
	waiting []provisioner.Event
	wake    chan struct{} // buffered, size 1; closed: no more events
}

func newEventQueue() *eventQueue {
	q := &eventQueue{delivered: make(chan provisioner.Event, 256), wake: make(chan struct{}, 1)}
	go q.run()
	return q
}

func (q *eventQueue) add(e provisioner.Event) {
	q.mu.Lock()
	q.waiting = append(q.waiting, e)
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// close ends the queue. No event may be added after it.
func (q *eventQueue) close() { close(q.wake) }

func (q *eventQueue) run() {
	defer close(q.delivered)
	for range q.wake {
		for events := q.take(); len(events) > 0; events = q.take() {
			for _, e := range events {
				q.delivered <- e
			}
		}
	}
}

func (q *eventQueue) take() []provisioner.Event {
	q.mu.Lock()
	defer q.mu.Unlock()
	taken := q.waiting
	q.waiting = nil
	return taken
}

// FormatSubtitle resolves a channel to its release, once that is known.
func FormatSubtitle(folder state.Folder, spec state.Spec) string {
	version := spec.OpenShift.Version
	if facts, err := folder.LoadFacts(); err == nil {
		version = cmp.Or(facts.Version(), version)
	}
	return spec.Exoscale.Zone + " · " + version
}

func (s Display) newDashboardOptions(shown run.View, events <-chan provisioner.Event) dashboard.Options {
	options := dashboard.Options{
		Title:         shown.Spec.Cluster.ID,
		Verb:          shown.Verb,
		Subtitle:      FormatSubtitle(shown.Folder, shown.Spec),
		Plan:          shown.Plan,
		Nodes:         shown.Spec.Nodes(),
		Events:        events,
		Stop:          shown.Stop,
		ApproveKeys:   shown.ApproveNewKeys,
		Decide:        shown.Decide,
		Now:           shown.Now,
		Speed:         shown.Speed,
		In:            s.Std.In,
		Out:           s.Std.TerminalWriter(),
		ASCII:         s.ascii,
		Silent:        s.silent,
		NoColor:       os.Getenv("NO_COLOR") != "",
		ResumeCommand: shown.Resume,
	}
	if shown.Verb == "" {
		options.Handover = func() handover.Report { return clusterdir.DescribeHandover(shown.Folder, shown.Spec, shown.Kept) }
	}
	return options
}
