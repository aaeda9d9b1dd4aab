// Package tui is the terminal: the screens, their keys, colours and layout. Screens take messages, panes do not; the
// run is never held up by its screen.
package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/state"
	"exoshift/tui/pane"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"
)

// Options say what the dashboard shows and what it may do.
type Options struct {
	Title    string // the cluster's id
	Subtitle string // e.g. zone and version
	Plan     provisioner.Plan
	Events   <-chan provisioner.Event // closed by the caller when the run has ended
	Stop     func()                   // stops the run after the calls in flight; nil for a run that is only watched
	// ApproveKeys approves one more key of each machine that waits for the operator's decision; nil: nobody can.
	ApproveKeys func()
	Nodes       []state.Machine // the machines that become nodes; may be empty

	// Handover writes what is handed over once the run has ended well; it may take its time. Nil: nothing is.
	Handover func() handover.Report

	ResumeCommand string           // goes on with a run that ended early
	Speed         float64          // of the clock, shown unless it is 0 or 1
	Player        Player           // nil unless the run is a recording
	Now           func() time.Time // the time the run lives by; nil for the wall clock
	Wall          func() time.Time // the time that certificates live by; nil for the wall clock

	In      io.Reader // nil for the standard input
	Out     io.Writer // nil for the standard output
	NoColor bool
	ASCII   bool
}

// ErrLeft tells that the operator left the dashboard while the run was still going on.
var ErrLeft = errors.New("left before the run had ended")

// framesPerSecond is how often the screen is drawn at most.
const framesPerSecond = 10

// Run shows the dashboard until the operator leaves it, which is free once the run has ended, or until ctx ends and
// then returns its cause. Leaving early returns ErrLeft. If no key can come any more, because the terminal is gone, the
// dashboard leaves when the run ends. Events are heard to their end in any case, so the run is never held up. The
// terminal is given back, whatever happens; the caller prints the summary.
func Run(ctx context.Context, o Options) error {
	if o.In == nil {
		o.In = os.Stdin
	}
	if o.Out == nil {
		o.Out = os.Stdout
	}
	if _, terminal := o.Out.(*os.File); terminal && os.Getenv("TERM") == "dumb" {
		go forwardEvents(o.Events, func(tea.Msg) {})
		return fault.Newf(fault.Invalid, "open the dashboard", "this terminal (TERM=dumb) cannot place the cursor").
			WithHint("use --output plain")
	}
	return runDashboard(ctx, o)
}

func runDashboard(ctx context.Context, o Options) error {
	d := newDashboard(o)
	g := &recoverModel{screen: d}
	var program *tea.Program
	keys := newKeyReader(o.In, func(m tea.Msg) { program.Send(m) })
	program = tea.NewProgram(g, tea.WithInput(keys), tea.WithOutput(o.Out), tea.WithAltScreen(),
		tea.WithFPS(framesPerSecond), tea.WithoutSignalHandler(), tea.WithoutBracketedPaste())
	g.quit = program.Quit
	// Not tea.WithContext: it tears the terminal away from those who still read it.
	defer context.AfterFunc(ctx, program.Quit)()
	go forwardEvents(o.Events, program.Send)
	_, err := program.Run()
	switch err = errors.Join(g.err, err); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fault.New(fault.Internal, "draw the dashboard", err).WithHint("use --output plain")
	case !d.ended:
		return ErrLeft
	}
	return nil
}

// newTheme honours NO_COLOR and what the terminal can do.
func (o Options) newTheme() pane.Theme {
	profile := termenv.Ascii
	if !o.NoColor && o.Out != nil {
		profile = termenv.NewOutput(o.Out).EnvColorProfile()
	}
	return pane.NewTheme(profile, pane.NewTerminalPalette(), o.ASCII)
}
