// Package wizard asks the questions of an interview on a terminal: it draws a session and hands it keys. The packages below are its
// pages; this one is the frame around them: the start screen, navigation, keys, help and the sign-in.
package wizard

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

// Options configures the wizard.
type Options struct {
	StartOptions []StartOption // of the start screen; empty opens the interview Open("") at once
	// Open opens the interview of an option. A nil interview ends the wizard with that option.
	Open func(ctx context.Context, option string) (*wizard.Interview, error)

	In      io.Reader // nil for the standard input
	Out     io.Writer // nil for the standard output
	NoColor bool
	ASCII   bool
	Now     func() time.Time // clock for ages; nil for the wall clock
}

// StartOption is a choice of the start screen.
type StartOption struct {
	ID, Title, Help string
	Draft           *StartDraft // what can be done with a draft, besides going on with it; nil for other choices
}

// StartDraft is a draft on the start screen.
type StartDraft struct {
	Name    string                                      // what the operator calls it; may be empty
	Read    func() (answers string, err error)          // the answers so far, as they are kept
	Rename  func(name string) (title string, err error) // title is that of the choice from now on
	Discard func() error
}

// Outcome is the result of the wizard.
type Outcome struct {
	Option    string // selected on the start screen
	Confirmed bool   // the operator confirmed the reviewed answers
}

// framesPerSecond is the maximum frame rate per second, so that a key is visible within 16 ms.
const framesPerSecond = 120

// Run runs the wizard until the operator confirms on its last screen, or quits; the draft has all answers then, also if ctx
// ended, whose cause is returned, or the terminal is gone. The terminal is always restored.
func Run(ctx context.Context, w Options) (Outcome, error) {
	if w.Out == nil {
		w.Out = os.Stdout
	}
	if err := app.CheckTerminal(w.Out, "open the wizard", "use --accessible"); err != nil {
		return Outcome{}, err
	}
	return run(ctx, w)
}

func run(ctx context.Context, w Options) (Outcome, error) {
	working, stop := context.WithCancel(ctx)
	defer stop()
	s := newModel(working, w)
	program := app.NewProgram(s, app.Options{In: w.In, Out: w.Out, FPS: framesPerSecond})
	s.send = program.Send
	err := program.Run(ctx)
	unsaved := s.close()
	s.waitZoneRuns()
	switch err = errors.Join(s.panicErr, err); {
	case unsaved != nil:
		return s.outcome, fault.New(fault.Internal, "save the draft", unsaved).WithHint("check the disk space, or the answers are lost")
	case ctx.Err() != nil:
		return s.outcome, context.Cause(ctx)
	case err != nil:
		return Outcome{}, fault.New(fault.Internal, "draw the wizard", err).WithHint("the draft is saved; use --accessible")
	}
	return s.outcome, nil
}
