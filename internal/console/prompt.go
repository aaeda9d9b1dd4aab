package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"exoshift/internal/fault"
	"exoshift/wizard"
)

// Prompter holds an interview in plain lines: a question a line, an answer a line. It moves no cursor, draws nothing
// and needs no terminal, so that screen readers, serial lines and scripts can follow it.
type Prompter struct {
	Options []Option // to begin with; empty leads right to the interview Open("")
	// Open begins what was chosen. A nil interview ends the conversation with that choice.
	Open func(ctx context.Context, option string) (*wizard.Interview, error)

	In    *Lines
	Out   io.Writer
	Piped bool // no terminal shows what is typed, nor the end of its line
	// Hide keeps what is typed from being shown until it is undone; nil where nothing is shown anyway.
	Hide func() (undo func())
	// Interruptible returns a context that the next Ctrl-C ends in place of the program; nil where there is no Ctrl-C.
	Interruptible func(context.Context) (context.Context, context.CancelFunc)
}

// Option is one thing to begin with.
type Option struct{ ID, Title, Help string }

// Outcome is how a conversation ended.
type Outcome struct {
	Option string // what was chosen to begin with
	Go     bool   // the answers were reviewed and the operator said yes
}

// Prompt asks until the operator said yes to the review, or left: the draft has all answers then. The end of the input
// is an error of kind fault.Cancelled, and never a yes.
func Prompt(ctx context.Context, p Prompter) (Outcome, error) {
	c := newConversation(p)
	option, interview, err := c.begin(ctx, p)
	outcome := Outcome{Option: option}
	if err == nil && interview != nil {
		c.take(interview)
		outcome.Go, err = c.hold(ctx)
	}
	return outcome, aborted(err)
}

// aborted says what the end of the input, or of ctx, means.
func aborted(err error) error {
	if err == nil || !errors.Is(err, ErrEnded) && !errors.Is(err, ErrInterrupted) && !errors.Is(err, context.Canceled) {
		return err
	}
	return fault.New(fault.Cancelled, "ask the questions", fmt.Errorf("%w; nothing was created", err))
}

// conversation is one interview, as far as it got.
type conversation struct {
	Prompter
	talk    *wizard.Interview
	further map[wizard.Screen]bool // screens whose further settings are asked, too
	wrong   map[string]bool        // keys that are asked because something is wrong with them
	heard   map[string]heard       // by the IDs of the inquiries
	better  map[string]string      // what is suggested in place of a wrong answer, by key
	told    map[string]bool        // warnings
	unsaved bool                   // the last answer could not be kept
	offers  []way                  // about checks, that the question takes beside the usual
}

func newConversation(p Prompter) *conversation {
	return &conversation{
		Prompter: p, further: map[wizard.Screen]bool{}, wrong: map[string]bool{}, heard: map[string]heard{}, told: map[string]bool{}, better: map[string]string{},
	}
}

// begin lets choose what to begin with.
func (c *conversation) begin(ctx context.Context, p Prompter) (option string, talk *wizard.Interview, err error) {
	c.say("These are questions and answers, line by line. %s", howTo)
	if len(p.Options) == 0 {
		talk, err = p.Open(ctx, "")
		return "", talk, err
	}
	for {
		chosen, err := c.choose(ctx, "What do you want to do?", p.Options, 0)
		if err != nil || chosen < 0 {
			return "", nil, err
		}
		option = p.Options[chosen].ID
		talk, err = p.Open(ctx, option)
		if err == nil || ctx.Err() != nil {
			return option, talk, err
		}
		c.sayError("That is not possible", err)
	}
}

// take begins with an interview.
func (c *conversation) take(talk *wizard.Interview) {
	c.talk = talk
	if talk.Rehearsal {
		c.say("This is a rehearsal on a simulated zone: nothing real is touched, and nothing costs.")
	}
	if talk.CheckOnly {
		c.say("This ends with the checks: nothing is created.")
	}
	if talk.Place != "" {
		c.say("Every answer is kept in %s as soon as it is given.", talk.Place)
	}
	if slices.Contains(slices.Collect(maps.Values(talk.Answers.Origins)), wizard.Typed) {
		c.say("Some answers are there already: :show tells them, and :next accepts those of a whole screen.")
	}
}

// choose asks for one of several things and returns its place, or -1 if the operator leaves.
func (c *conversation) choose(ctx context.Context, title string, options []Option, usual int) (int, error) {
	choices := make([]wizard.Choice, len(options))
	for i, option := range options {
		choices[i] = wizard.Choice{Value: cmp.Or(option.Title, option.ID), Note: option.Help}
	}
	c.list(choices)
	for {
		said, err := c.ask(ctx, fmt.Sprintf("%s A number from 1 to %d [%d]: ", title, len(options), usual+1), nil)
		switch {
		case err != nil:
			return 0, err
		case said.way == leaving:
			return -1, nil
		case said.way == answered && said.text == "":
			return usual, nil
		case said.way == answered:
			if i := picked(choices, said.text); i >= 0 {
				return i, nil
			}
			c.say("There is no %s to choose.", quoted(said.text))
		default:
			c.say("This does not mean anything here.")
		}
	}
}

// askLimit is how long somebody outside is waited for, whatever limits they set themselves.
const askLimit = 45 * time.Second
