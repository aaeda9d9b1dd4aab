// Package checks is the screen of the connectivity check. Its board of results and its form for skipping a check are those of the
// interview, too.
package checks

import (
	"context"
	"io"
	"os"
	"sync"
	"time"

	"exoshift/internal/fault"
	"exoshift/tui/app"
	"exoshift/wizard/reach"

	tea "github.com/charmbracelet/bubbletea"
)

// Options configures the screen of the connectivity check. Its functions may be called from any goroutine.
type Options struct {
	Title   string        // e.g. "c-demo-1 in ch-gva-2"
	Checks  []reach.Check // in display order
	Sources []string      // the columns; those after the first are run only after the operator accepts the estimate
	// Run runs the checks of these IDs from a source, nil: all of them, and reports each result to emit. It is called for several
	// sources concurrently, but not twice for one.
	Run func(ctx context.Context, vantage string, ids []string, emit func(reach.Result)) error
	// Estimate describes what a run from a source does and costs, in one sentence; "" needs no confirmation.
	Estimate func(vantage string) string
	Watch    bool
	// Progress describes in a few words what a run from a source does before its results are there; it is called every second.
	// May be nil.
	Progress func(vantage string) string
	// Skip has a check skipped from now on and returns the line for the answers file that makes it permanent.
	Skip func(id, reason string, until time.Time) (answer string, err error)
	// Save writes the report and the firewall request and returns their paths.
	Save func(reach.Report) (paths []string, err error)

	In      io.Reader // nil for the standard input
	Out     io.Writer // nil for the standard output
	NoColor bool
	ASCII   bool
	Now     func() time.Time // nil for the wall clock
}

// Run shows the checks until the operator leaves, and returns the latest report. It begins with a run from the first source.
// The terminal is always restored. Run returns only after every Options.Run has returned, with its remote resources removed. If ctx
// ends, its cause is returned with the report.
func Run(ctx context.Context, c Options) (reach.Report, error) {
	if c.Out == nil {
		c.Out = os.Stdout
	}
	if err := app.CheckTerminal(c.Out, "show the checks", "use --output plain"); err != nil {
		return reach.Report{}, err
	}
	return runScreen(ctx, c)
}

// framesPerSecond is the maximum, so that a key is visible within 16 ms.
const framesPerSecond = 120

func runScreen(ctx context.Context, c Options) (reach.Report, error) {
	working, stop := context.WithCancel(ctx)
	var runs sync.WaitGroup
	defer runs.Wait()
	defer stop()
	s := newCheckScreen(c)
	program := app.NewProgram(s, app.Options{In: c.In, Out: c.Out, FPS: framesPerSecond})
	s.runner.send, s.runner.spawn = program.Send, withWaitGroup(&runs, app.NewSpawn(working), program.Send)
	switch err := program.Run(ctx); {
	case ctx.Err() != nil:
		return s.runner.buildReport(), context.Cause(ctx)
	case err != nil:
		return s.runner.buildReport(), fault.New(fault.Internal, "draw the checks", err).WithHint("use --output plain")
	}
	return s.runner.buildReport(), nil
}

// withWaitGroup runs work at once, not when the program runs the command, and counts it in running.
func withWaitGroup(running *sync.WaitGroup, spawn app.Spawn, send func(tea.Msg)) app.Spawn {
	return func(work func(context.Context) tea.Msg) (tea.Cmd, context.CancelFunc) {
		cmd, cancel := spawn(work)
		running.Go(func() { send(cmd()) })
		return nil, cancel
	}
}
