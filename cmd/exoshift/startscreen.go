package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/internal/fault"
	"exoshift/tui"
	"exoshift/wizard"
)

// frontend runs interviews on the terminal's screens or as prompts.
type frontend func(ctx context.Context, w tui.Wizard) (tui.Outcome, error)

// startScreen opens interviews and applies their results.
type startScreen struct {
	flags    options
	std      streams
	frontend frontend
	options  []startOption // of the start screen; none: the interview of opening starts at once
	open     openFunc

	mu      sync.Mutex // the user may quit while an interview is being opened
	backend *interviewBackend
	closed  bool // no more interviews are opened

	openErr error // why the last interview could not be opened
}

type openFunc func(ctx context.Context) (*interviewBackend, error)

type startOption struct {
	tui.Option
	open openFunc                        // nil: no interview
	run  func(ctx context.Context) error // after the screen, if there is no interview; nil: nothing
}

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
		if len(choices) == 0 { // there were no other options
			return d.openErr
		}
		return nil
	}
	if !outcome.Confirmed {
		return d.printResume(ctx)
	}
	return d.backend.apply(ctx, d.std)
}

// close waits for an interview that is being opened.
func (d *startScreen) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
}

// openInterview closes an earlier interview of this screen.
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

// printResume also returns the cancellation, for the exit code.
func (d *startScreen) printResume(ctx context.Context) error {
	switch {
	case !d.backend.draft.Exists():
		fmt.Fprintln(d.std.out, "Nothing was created, and nothing was kept.")
	default:
		fmt.Fprintf(d.std.out, "Nothing was created. The answers so far are kept in %s.\nGo on with:\n  %s\n", console.SanitizeLine(d.backend.draft.Path()), console.SanitizeLine(d.backend.formatResume()))
	}
	if ctx.Err() != nil {
		return exit.MarkPrinted(context.Cause(ctx))
	}
	return nil
}
