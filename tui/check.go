package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"exoshift/internal/fault"
	"exoshift/wizard/reach"

	tea "github.com/charmbracelet/bubbletea"
)

// CheckOptions is what the screen of reachability shows and may ask for. Its functions may be called from any goroutine.
type CheckOptions struct {
	Title   string        // e.g. "c-demo-1 in ch-gva-2"
	Checks  []reach.Check // in the order in which they are shown
	Sources []string      // the columns; those after the first are run only after a yes to their terms
	// Run makes the checks of these IDs from a vantage, nil: all of them, and tells each result. It is called for
	// several vantages at once, but not twice for one.
	Run func(ctx context.Context, vantage string, ids []string, tell func(reach.Result)) error
	// Terms says what a vantage does and costs, one sentence; "" needs no yes.
	Estimate func(vantage string) string
	Watch    bool
	// Doing says what goes on at a vantage before its results come, a few words; it is asked every second. May be nil.
	Progress func(vantage string) string
	// Skip has a check left out from now on and returns what to write into the answers so that it stays so.
	Skip func(id, reason string, until time.Time) (answer string, err error)
	// Save writes the report and the firewall request and returns their paths.
	Save func(reach.Report) (paths []string, err error)

	In      io.Reader // nil for the standard input
	Out     io.Writer // nil for the standard output
	NoColor bool
	ASCII   bool
	Now     func() time.Time // nil for the wall clock
}

// Check shows the checks until the operator leaves, and returns the report as it is then. It begins with a run from the
// first vantage. The terminal is given back, whatever happens. It returns once every Run has: what that set up elsewhere
// is gone by then. If ctx ends, its cause is returned beside the report.
func Check(ctx context.Context, c CheckOptions) (reach.Report, error) {
	if c.In == nil {
		c.In = os.Stdin
	}
	if c.Out == nil {
		c.Out = os.Stdout
	}
	if _, terminal := c.Out.(*os.File); terminal && os.Getenv("TERM") == "dumb" {
		return reach.Report{}, fault.Newf(fault.Invalid, "show the checks", "this terminal (TERM=dumb) cannot place the cursor").
			WithHint("use --output table")
	}
	return runCheckScreen(ctx, c)
}

func runCheckScreen(ctx context.Context, c CheckOptions) (reach.Report, error) {
	working, stop := context.WithCancel(ctx)
	var runs sync.WaitGroup
	defer runs.Wait()
	defer stop()
	s := newCheckScreen(c)
	g := &recoverModel{screen: s}
	var program *tea.Program
	keys := newKeyReader(c.In, func(m tea.Msg) { program.Send(m) })
	program = tea.NewProgram(g, tea.WithInput(keys), tea.WithOutput(c.Out), tea.WithAltScreen(),
		tea.WithFPS(wizardFrames), tea.WithoutSignalHandler())
	g.quit, s.send, s.spawn = program.Quit, program.Send, withWaitGroup(&runs, newSpawner(working), program.Send)
	defer context.AfterFunc(ctx, program.Quit)()
	_, err := program.Run()
	switch err = errors.Join(g.err, s.panicErr, err); {
	case ctx.Err() != nil:
		return s.buildReport(), context.Cause(ctx)
	case err != nil:
		return s.buildReport(), fault.New(fault.Internal, "draw the checks", err).WithHint("use --output table")
	}
	return s.buildReport(), nil
}

// withWaitGroup runs work at once, not when the program comes to it, and counts what goes on.
func withWaitGroup(running *sync.WaitGroup, spawn spawnFunc, send func(tea.Msg)) spawnFunc {
	return func(work func(context.Context) tea.Msg) (tea.Cmd, context.CancelFunc) {
		cmd, cancel := spawn(work)
		running.Go(func() { send(cmd()) })
		return nil, cancel
	}
}
