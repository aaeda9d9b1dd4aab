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

// holder holds interviews: on the screens of a terminal, or by prompts.
type holder func(ctx context.Context, w tui.Wizard) (tui.Outcome, error)

// desk is where interviews are opened, and where what was agreed on is carried out.
type desk struct {
	options   options
	std       streams
	hold      holder
	beginning []beginning // of the start screen; none leads right to the interview of opening
	opening   opening

	mu   sync.Mutex // whoever leaves may do so while something is being opened
	open *conversation
	over bool // nothing is opened any more

	refused error // why the last one could not be opened
}

// opening begins a conversation.
type opening func(ctx context.Context) (*conversation, error)

// beginning is one thing to begin with.
type beginning struct {
	tui.Option
	interview opening                         // nil: there is nothing to ask
	follow    func(ctx context.Context) error // once the screen is gone, if there is no interview; nil: nothing
}

// sit holds an interview and does what was decided.
func (d *desk) sit(ctx context.Context) (err error) {
	var choices []tui.Option
	for _, one := range d.beginning {
		choices = append(choices, one.Option)
	}
	defer func() { err = errors.Join(err, d.leave()) }()
	outcome, err := d.hold(ctx, tui.Wizard{Options: choices, Open: d.begin, In: d.std.in, Out: d.std.screen(), ASCII: d.options.ascii, NoColor: os.Getenv("NO_COLOR") != ""})
	d.shut()
	if err != nil && d.open != nil && fault.Is(err, fault.Cancelled) {
		return cmp.Or(d.adjourn(ctx), err)
	}
	if err != nil {
		return err
	}
	if d.open == nil {
		if chosen, ok := d.find(outcome.Option); ok && chosen.follow != nil {
			return chosen.follow(ctx)
		}
		if len(choices) == 0 { // there was nothing else to begin with
			return d.refused
		}
		return nil
	}
	if !outcome.Go {
		return d.adjourn(ctx)
	}
	return d.open.carryOut(ctx, d.std)
}

// shut has nothing opened from now on, and waits for what is being opened.
func (d *desk) shut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
}

// begin opens the conversation that was chosen. An earlier one of this screen is over.
func (d *desk) begin(ctx context.Context, option string) (*wizard.Interview, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return nil, context.Canceled
	}
	if err := d.leave(); err != nil {
		return nil, err
	}
	opening := d.opening
	if chosen, ok := d.find(option); ok {
		opening = chosen.interview
	}
	if opening == nil {
		return nil, nil
	}
	var err error
	if d.open, err = opening(ctx); err != nil {
		d.refused = err
		return nil, err
	}
	return d.open.interview(), nil
}

func (d *desk) find(option string) (beginning, bool) {
	for _, one := range d.beginning {
		if one.ID == option {
			return one, true
		}
	}
	return beginning{}, false
}

func (d *desk) leave() error {
	if d.open == nil {
		return nil
	}
	err := d.open.leave()
	d.open = nil
	return err
}

// adjourn says how to go on with an interview that was left. Whoever was stopped is told so by the exit code, too.
func (d *desk) adjourn(ctx context.Context) error {
	switch {
	case !d.open.draft.Exists():
		fmt.Fprintln(d.std.out, "Nothing was created, and nothing was kept.")
	default:
		fmt.Fprintf(d.std.out, "Nothing was created. The answers so far are kept in %s.\nGo on with:\n  %s\n", console.Clean(d.open.draft.Path()), console.Clean(d.open.resume()))
	}
	if ctx.Err() != nil {
		return shownError{context.Cause(ctx)}
	}
	return nil
}
