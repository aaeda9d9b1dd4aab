package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"exoshift/internal/app/changes"
	"exoshift/internal/app/run"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/internal/console/prompt"
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/provisioner/install/syn"
	"exoshift/state"
	"exoshift/tui/dashboard"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"
	"golang.org/x/term"
)

// streams are those of the process. Results for people and JSON lines go to out, errors and warnings to err.
type streams struct {
	in         io.Reader
	out, err   io.Writer
	lines      *prompt.LineReader // reads in; nil before the first prompt
	interrupts *interruptHandler  // nil: only the context is cancelled
	host       *environment.Host  // nil: one whose clock is the wall clock
}

func (s streams) isTerminal() bool {
	return isTerminal(s.in) && isTerminal(s.out) && os.Getenv("TERM") != "dumb"
}

// linkPrinter prints the link to sign in; nil if nobody sees it.
func (s streams) linkPrinter() syn.Show {
	if !s.isTerminal() {
		return nil
	}
	return func(_ context.Context, url string) error {
		fmt.Fprintf(s.err, "Sign in in a browser:\n  %s\n", console.SanitizeLine(url))
		return nil
	}
}

type output string

const (
	outputAuto  output = "auto"
	outputTUI   output = "tui"
	outputPlain output = "plain"
	outputJSON  output = "json"
)

// outputFlag is the value of --output: one of the outputs of a verb.
type outputFlag struct {
	value  string
	listed []output
}

// addOutputFlag lists the outputs of a verb. The first one is the default.
func addOutputFlag(cmd *cobra.Command, usage string, listed ...output) {
	flag := &outputFlag{value: string(listed[0]), listed: listed}
	cmd.Flags().Var(flag, "output", usage+": "+flag.listOutputs())
}

func (f *outputFlag) String() string { return f.value }

// Set accepts any text: bindOutput refuses it, as it does a text of the environment.
func (f *outputFlag) Set(text string) error {
	f.value = text
	return nil
}

// Type is for the help text.
func (f *outputFlag) Type() string { return "string" }

func (f *outputFlag) listOutputs() string {
	var words []string
	for _, one := range f.listed {
		words = append(words, string(one))
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// bindOutput returns the output of a verb: plain lines if it has no choice. As EXOSHIFT_OUTPUT applies to every verb, auto and
// tui are accepted by all that have a choice, and lines are what a verb without screens has for them.
func bindOutput(cmd *cobra.Command, layers *viper.Viper, std streams) (output, error) {
	wanted := outputPlain
	if flag := cmd.Flags().Lookup("output"); flag != nil {
		wanted = output(layers.GetString("output"))
		known := []output{outputAuto, outputTUI, outputPlain, outputJSON}
		if choice, is := flag.Value.(*outputFlag); is && !slices.Contains(known, wanted) {
			return "", exit.WithCode(exit.Usage, fmt.Errorf("--output %s: it is %s", wanted, choice.listOutputs()))
		}
	}
	return wanted.resolveAccessible(layers.GetBool(accessibleName), cmd, std)
}

// resolve expects a known output.
func (o output) resolve(std streams) (output, error) {
	switch o {
	case outputAuto:
		if std.isTerminal() {
			return outputTUI, nil
		}
		return outputPlain, nil
	case outputTUI:
		if !std.isTerminal() {
			return "", exit.WithCode(exit.Usage, fmt.Errorf("--output tui needs a terminal; use plain or json"))
		}
	}
	return o, nil
}

func (o output) isJSON() bool { return o == outputJSON }

// runDisplay shows a run on the streams of the process.
type runDisplay struct {
	output output
	ascii  bool // the dashboard uses only ASCII
	std    streams
}

func (s runDisplay) ShowAnswers(answers []changes.Answer) {
	console.PrintAnswerChanges(s.std.err, answers)
}

func (s runDisplay) Warn(line string) { fmt.Fprintln(s.std.err, line) }

func (s runDisplay) Open(ctx context.Context, shown run.View) run.Renderer {
	s.std.startRun(s.output, shown.Events)
	switch s.output {
	case outputTUI:
		return s.newDashboard(ctx, shown)
	case outputAccessible:
		return s.newSpokenRenderer(ctx, shown)
	case outputJSON:
		return newLineRenderer(console.NewJSON(s.std.out))
	}
	return newLineRenderer(console.NewPlain(s.std.out))
}

func (s runDisplay) Close(end run.Outcome) {
	if !s.output.isJSON() {
		console.PrintSummary(s.output.wrapWriter(s.std.out), end.Board, end.Facts, end.Locations)
	}
	s.std.endRun(end.Events, end.Log)
}

func newLineRenderer(emit func(provisioner.Event)) run.Renderer {
	return run.Renderer{Emit: emit, RunWith: func(body func()) error { body(); return nil }}
}

// newDashboard runs the body beside the terminal interface. Quitting it early, or the end of ctx, stops the body, and waits
// for that; if the interface fails, the body continues with plain lines. A terminal that blocks does not delay the body: its
// screen is abandoned once the run was stopped.
func (s runDisplay) newDashboard(ctx context.Context, shown run.View) run.Renderer {
	std, stop := s.std, shown.Stop
	events, closed := newEventQueue(), make(chan struct{})
	plain := console.NewPlain(std.out)
	return run.Renderer{
		Emit: func(e provisioner.Event) {
			select {
			case <-closed:
				plain(e)
			default:
				events.add(e)
			}
		},
		RunWith: func(body func()) error {
			done, ended, restore := make(chan struct{}), make(chan error, 1), terminalState(std.in)
			go func() {
				defer close(done)
				body()
				events.close()
			}()
			go func() { ended <- dashboard.Run(ctx, s.newDashboardOptions(shown, events.delivered)) }()
			err := awaitScreen(ctx, ended, done)
			if errors.Is(err, errUnread) {
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
	stalled := time.NewTimer(readerPatience) // by the wall clock, in a rehearsal too
	defer stalled.Stop()
	select {
	case err := <-ended:
		return err
	case <-stalled.C:
		return errUnread
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

// formatSubtitle resolves a channel to its release, once that is known.
func formatSubtitle(folder state.Folder, spec state.Spec) string {
	version := spec.OpenShift.Version
	if facts, err := folder.LoadFacts(); err == nil {
		version = cmp.Or(facts.OpenShiftVersion, version)
	}
	return spec.Exoscale.Zone + " · " + version
}

func (s runDisplay) newDashboardOptions(shown run.View, events <-chan provisioner.Event) dashboard.Options {
	return dashboard.Options{
		Title:         shown.Spec.Cluster.ID,
		Subtitle:      formatSubtitle(shown.Folder, shown.Spec),
		Plan:          shown.Plan,
		Nodes:         shown.Spec.Nodes(),
		Events:        events,
		Stop:          shown.Stop,
		ApproveKeys:   shown.ApproveNewKeys,
		Now:           shown.Now,
		Speed:         shown.Speed,
		In:            s.std.in,
		Out:           s.std.terminalWriter(),
		ASCII:         s.ascii,
		ResumeCommand: shown.Resume,
		Handover:      func() handover.Report { return clusterdir.DescribeHandover(shown.Folder, shown.Spec, shown.Kept) },
	}
}
