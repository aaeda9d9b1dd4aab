package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"exoshift/internal/fault"
	"exoshift/tui/pane"
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

// Wizard says what the wizard begins with and who holds its interviews.
type Wizard struct {
	Options []Option // of the start screen; empty leads right to the interview Open("")
	// Open begins what was chosen on the start screen. A nil interview ends the wizard with that choice.
	Open func(ctx context.Context, option string) (*wizard.Interview, error)

	In      io.Reader // nil for the standard input
	Out     io.Writer // nil for the standard output
	NoColor bool
	ASCII   bool
	Now     func() time.Time // the time that ages are told by; nil for the wall clock
}

// Option is one thing to begin with.
type Option struct{ ID, Title, Help string }

// Outcome is how the wizard ended.
type Outcome struct {
	Option    string // what was chosen on the start screen
	Confirmed bool   // the answers were reviewed and the operator said yes
}

// wizardFrames is how often the wizard's screen is drawn a second at most: a key is seen within 16 ms.
const wizardFrames = 120

// RunWizard runs the wizard until the operator said yes on its last screen, or left: the draft has all answers then, also if
// ctx ended, whose cause is returned, or the terminal is gone. The terminal is given back, whatever happens.
func RunWizard(ctx context.Context, w Wizard) (Outcome, error) {
	if w.In == nil {
		w.In = os.Stdin
	}
	if w.Out == nil {
		w.Out = os.Stdout
	}
	if _, terminal := w.Out.(*os.File); terminal && os.Getenv("TERM") == "dumb" {
		return Outcome{}, fault.Newf(fault.Invalid, "open the wizard", "this terminal (TERM=dumb) cannot place the cursor").
			WithHint("use --accessible")
	}
	return runWizard(ctx, w)
}

func runWizard(ctx context.Context, w Wizard) (Outcome, error) {
	working, stop := context.WithCancel(ctx)
	defer stop()
	s := newWizardModel(working, w)
	g := &recoverModel{screen: s}
	var program *tea.Program
	keys := newKeyReader(w.In, func(m tea.Msg) { program.Send(m) })
	program = tea.NewProgram(g, tea.WithInput(keys), tea.WithOutput(w.Out), tea.WithAltScreen(),
		tea.WithFPS(wizardFrames), tea.WithoutSignalHandler())
	g.quit, s.send = program.Quit, program.Send
	defer context.AfterFunc(ctx, program.Quit)()
	_, err := program.Run()
	unsaved := s.close()
	s.waitZoneRuns()
	switch err = errors.Join(g.err, s.panicErr, err); {
	case unsaved != nil:
		return s.outcome, fault.New(fault.Internal, "save the draft", unsaved).WithHint("see whether its disk is full; the answers are lost otherwise")
	case ctx.Err() != nil:
		return s.outcome, context.Cause(ctx)
	case err != nil:
		return Outcome{}, fault.New(fault.Internal, "draw the wizard", err).WithHint("the draft is kept; use --accessible")
	}
	return s.outcome, nil
}

// newTheme honours NO_COLOR and what the terminal can do.
func (w Wizard) newTheme() pane.Theme {
	return Options{Out: w.Out, NoColor: w.NoColor, ASCII: w.ASCII}.newTheme()
}
