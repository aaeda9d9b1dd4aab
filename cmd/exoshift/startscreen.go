package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"exoshift/internal/console"
	"exoshift/internal/fault"
	"exoshift/tui"
	"exoshift/wizard"
)

// frontend holds interviews: on the screens of a terminal, or by prompts.
type frontend func(ctx context.Context, w tui.Wizard) (tui.Outcome, error)

// startScreen is where interviews are opened, and where what was agreed on is carried out.
type startScreen struct {
	flags    options
	std      streams
	frontend frontend
	options  []startOption // of the start screen; none leads right to the interview of opening
	open     openFunc

	mu      sync.Mutex // whoever leaves may do so while something is being opened
	backend *interviewBackend
	closed  bool // nothing is opened any more

	openErr error // why the last one could not be opened
}

// openFunc begins a conversation.
type openFunc func(ctx context.Context) (*interviewBackend, error)

// startOption is one thing to begin with.
type startOption struct {
	tui.Option
	open openFunc                        // nil: there is nothing to ask
	run  func(ctx context.Context) error // once the screen is gone, if there is no interview; nil: nothing
}

// run holds an interview and does what was decided.
func (d *startScreen) run(ctx context.Context) (err error) {
	var choices []tui.Option
	for _, one := range d.options {
		choices = append(choices, one.Option)
	}
	defer func() { err = errors.Join(err, d.closeInterview()) }()
	outcome, err := d.frontend(ctx, tui.Wizard{Options: choices, Open: d.openInterview, In: d.std.in, Out: d.std.terminalWriter(), ASCII: d.flags.ascii, NoColor: os.Getenv("NO_COLOR") != ""})
	d.close()
	if err != nil && d.backend != nil && fault.Is(err, fault.Cancelled) {
		return cmp.Or(d.printResume(ctx), err)
	}
	if err != nil {
		return err
	}
	if d.backend == nil {
		if chosen, ok := d.findOption(outcome.Option); ok && chosen.run != nil {
			return chosen.run(ctx)
		}
		if len(choices) == 0 { // there was nothing else to begin with
			return d.openErr
		}
		return nil
	}
	if !outcome.Confirmed {
		return d.printResume(ctx)
	}
	return d.backend.apply(ctx, d.std)
}

// close has nothing opened from now on, and waits for what is being opened.
func (d *startScreen) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
}

// openInterview opens the conversation that was chosen. An earlier one of this screen is over.
func (d *startScreen) openInterview(ctx context.Context, option string) (*wizard.Interview, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, context.Canceled
	}
	if err := d.closeInterview(); err != nil {
		return nil, err
	}
	opening := d.open
	if chosen, ok := d.findOption(option); ok {
		opening = chosen.open
	}
	if opening == nil {
		return nil, nil
	}
	var err error
	if d.backend, err = opening(ctx); err != nil {
		d.openErr = err
		return nil, err
	}
	return d.backend.newInterview(), nil
}

func (d *startScreen) findOption(option string) (startOption, bool) {
	for _, one := range d.options {
		if one.ID == option {
			return one, true
		}
	}
	return startOption{}, false
}

func (d *startScreen) closeInterview() error {
	if d.backend == nil {
		return nil
	}
	err := d.backend.close()
	d.backend = nil
	return err
}

// printResume says how to go on with an interview that was left. Whoever was stopped is told so by the exit code, too.
func (d *startScreen) printResume(ctx context.Context) error {
	switch {
	case !d.backend.draft.Exists():
		fmt.Fprintln(d.std.out, "Nothing was created, and nothing was kept.")
	default:
		fmt.Fprintf(d.std.out, "Nothing was created. The answers so far are kept in %s.\nGo on with:\n  %s\n", console.SanitizeLine(d.backend.draft.Path()), console.SanitizeLine(d.backend.formatResume()))
	}
	if ctx.Err() != nil {
		return shownError{context.Cause(ctx)}
	}
	return nil
}
