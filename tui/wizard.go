// Package tui asks the questions of an interview on a terminal: it draws a session and hands it keys.
package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"exoshift/internal/fault"
	"exoshift/tui/app"
	"exoshift/wizard"
)

// Wizard configures the wizard.
type Wizard struct {
	Options []Option // of the start screen; empty opens the interview Open("") at once
	// Open opens the interview of an option. A nil interview ends the wizard with that option.
	Open func(ctx context.Context, option string) (*wizard.Interview, error)

	In      io.Reader // nil for the standard input
	Out     io.Writer // nil for the standard output
	NoColor bool
	ASCII   bool
	Now     func() time.Time // clock for ages; nil for the wall clock
}

// Option is a choice of the start screen.
type Option struct{ ID, Title, Help string }

// Outcome is the result of the wizard.
type Outcome struct {
	Option    string // selected on the start screen
	Confirmed bool   // the operator confirmed the reviewed answers
}

// wizardFrames is the maximum frame rate per second, so that a key is visible within 16 ms.
const wizardFrames = 120

// RunWizard runs the wizard until the operator confirms on its last screen, or quits; the draft has all answers then, also if ctx
// ended, whose cause is returned, or the terminal is gone. The terminal is always restored.
func RunWizard(ctx context.Context, w Wizard) (Outcome, error) {
	if w.Out == nil {
		w.Out = os.Stdout
	}
	if err := app.CheckTerminal(w.Out, "open the wizard", "use --accessible"); err != nil {
		return Outcome{}, err
	}
	return runWizard(ctx, w)
}

func runWizard(ctx context.Context, w Wizard) (Outcome, error) {
	working, stop := context.WithCancel(ctx)
	defer stop()
	s := newWizardModel(working, w)
	program := app.NewProgram(s, app.Options{In: w.In, Out: w.Out, FPS: wizardFrames})
	s.send = program.Send
	err := program.Run(ctx)
	unsaved := s.close()
	s.waitZoneRuns()
	switch err = errors.Join(s.panicErr, err); {
	case unsaved != nil:
		return s.outcome, fault.New(fault.Internal, "save the draft", unsaved).WithHint("see whether its disk is full; the answers are lost otherwise")
	case ctx.Err() != nil:
		return s.outcome, context.Cause(ctx)
	case err != nil:
		return Outcome{}, fault.New(fault.Internal, "draw the wizard", err).WithHint("the draft is kept; use --accessible")
	}
	return s.outcome, nil
}
