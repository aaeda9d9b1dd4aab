// Package tui is the terminal user interface: the screens, their keys, colours and layout. Screens handle messages, panes do not;
// a run is never blocked by its screen.
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
	"exoshift/tui/theme"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"
)

// Options configure the dashboard.
type Options struct {
	Title    string // the cluster's id
	Subtitle string // e.g. zone and version
	Plan     provisioner.Plan
	Events   <-chan provisioner.Event // closed by the caller when the run has ended
	Stop     func()                   // stops the run after the calls in flight; nil for a run that is only watched
	// ApproveKeys approves one more key of each machine that waits for approval; nil disables that.
	ApproveKeys func()
	Nodes       []state.Machine // the machines that become nodes; may be empty

	// Handover writes the handover report once the run has succeeded; it may block for long. Nil: there is none.
	Handover func() handover.Report

	ResumeCommand string           // resumes a run that ended early
	Speed         float64          // of the clock, shown unless it is 0 or 1
	Player        Player           // nil unless the run is a recording
	Now           func() time.Time // clock of the run; nil for the wall clock
	Wall          func() time.Time // clock that certificates expire by; nil for the wall clock

	In      io.Reader // nil for the standard input
	Out     io.Writer // nil for the standard output
	NoColor bool
	ASCII   bool
}

// ErrLeft is returned when the operator left the dashboard while the run was still going on.
var ErrLeft = errors.New("left before the run had ended")

const framesPerSecond = 10

// Run shows the dashboard until the operator quits, which needs no confirmation once the run has ended, or until ctx ends and
// then returns its cause. Leaving early returns ErrLeft. If no key can come any more, because the terminal is gone, the dashboard
// quits when the run ends. Events are drained to their end in any case, so the run is never blocked. The terminal is always
// restored; the caller prints the summary.
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
	// Not tea.WithContext: it releases the terminal while it is still being read.
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

func (o Options) newTheme() theme.Theme {
	profile := termenv.Ascii
	if !o.NoColor && o.Out != nil {
		profile = termenv.NewOutput(o.Out).EnvColorProfile()
	}
	return theme.New(profile, theme.NewTerminalPalette(), o.ASCII)
}
