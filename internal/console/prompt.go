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

// Prompter runs an interview line by line: a question a line, an answer a line. It uses no cursor movement and needs no
// terminal, so that screen readers, serial lines and scripts can follow it.
type Prompter struct {
	Options []Option // start options; empty starts the interview Open("")
	// Open opens the chosen option. A nil interview ends the prompt with that choice.
	Open func(ctx context.Context, option string) (*wizard.Interview, error)

	In    *LineReader
	Out   io.Writer
	Piped bool // input is echoed by no terminal, so line breaks have to be printed
	// Hide turns off the echo until undo is called; nil if there is none.
	Hide func() (undo func())
	// Interruptible returns a context that the next Ctrl-C cancels in place of the program; nil if there is no Ctrl-C.
	Interruptible func(context.Context) (context.Context, context.CancelFunc)
}

// Option is a start option.
type Option struct{ ID, Title, Help string }

// Outcome is the result of a prompt.
type Outcome struct {
	Option    string // the chosen start option
	Confirmed bool   // the answers were reviewed and confirmed
}

// RunPrompt asks until the review is confirmed, or the user quits: then the draft has all answers. The end of the input is an
// error of kind fault.Cancelled, and never a confirmation.
func RunPrompt(ctx context.Context, p Prompter) (Outcome, error) {
	c := newPromptSession(p)
	option, interview, err := c.begin(ctx, p)
	outcome := Outcome{Option: option}
	if err == nil && interview != nil {
		c.attach(interview)
		outcome.Confirmed, err = c.run(ctx)
	}
	return outcome, wrapCancelled(err)
}

func wrapCancelled(err error) error {
	if err == nil || !errors.Is(err, ErrEnded) && !errors.Is(err, ErrInterrupted) && !errors.Is(err, context.Canceled) {
		return err
	}
	return fault.New(fault.Cancelled, "ask the questions", fmt.Errorf("%w; nothing was created", err))
}

type promptSession struct {
	Prompter
	session       *wizard.Interview
	advanced      map[wizard.Screen]bool // screens whose advanced settings are asked, too
	invalid       map[string]bool        // keys that are asked because of a problem
	lookups       map[string]lookupState // by the IDs of the lookups
	suggestions   map[string]string      // suggested replacements of invalid answers, by key
	shownWarnings map[string]bool        // warnings shown already
	unsaved       bool                   // saving the last answer failed
	extraCommands []command              // accepted by the current question, besides the usual ones
}

func newPromptSession(p Prompter) *promptSession {
	return &promptSession{
		Prompter: p, advanced: map[wizard.Screen]bool{}, invalid: map[string]bool{}, lookups: map[string]lookupState{}, shownWarnings: map[string]bool{}, suggestions: map[string]string{},
	}
}

func (c *promptSession) begin(ctx context.Context, p Prompter) (option string, talk *wizard.Interview, err error) {
	c.printLine("These are questions and answers, line by line. %s", usageHint)
	if len(p.Options) == 0 {
		talk, err = p.Open(ctx, "")
		return "", talk, err
	}
	for {
		chosen, err := c.selectOption(ctx, "What do you want to do?", p.Options, 0)
		if err != nil || chosen < 0 {
			return "", nil, err
		}
		option = p.Options[chosen].ID
		talk, err = p.Open(ctx, option)
		if err == nil || ctx.Err() != nil {
			return option, talk, err
		}
		c.printError("That is not possible", err)
	}
}

func (c *promptSession) attach(talk *wizard.Interview) {
	c.session = talk
	if talk.Rehearsal {
		c.printLine("This is a rehearsal on a simulated zone: nothing real is touched, and nothing costs.")
	}
	if talk.CheckOnly {
		c.printLine("This ends with the checks: nothing is created.")
	}
	if talk.DraftPath != "" {
		c.printLine("Every answer is kept in %s as soon as it is given.", talk.DraftPath)
	}
	if slices.Contains(slices.Collect(maps.Values(talk.Answers.Origins)), wizard.Typed) {
		c.printLine("Some answers are there already: :show tells them, and :next accepts those of a whole screen.")
	}
}

// selectOption returns the index of the chosen option, or -1 if the user quits.
func (c *promptSession) selectOption(ctx context.Context, title string, options []Option, usual int) (int, error) {
	choices := make([]wizard.Choice, len(options))
	for i, option := range options {
		choices[i] = wizard.Choice{Value: cmp.Or(option.Title, option.ID), Note: option.Help}
	}
	c.printChoices(choices)
	for {
		said, err := c.readReply(ctx, fmt.Sprintf("%s A number from 1 to %d [%d]: ", title, len(options), usual+1), nil)
		switch {
		case err != nil:
			return 0, err
		case said.command == commandQuit:
			return -1, nil
		case said.command == commandAnswer && said.text == "":
			return usual, nil
		case said.command == commandAnswer:
			if i := findChoice(choices, said.text); i >= 0 {
				return i, nil
			}
			c.printLine("There is no %s to choose.", quoteInput(said.text))
		default:
			c.printLine("This does not mean anything here.")
		}
	}
}

// lookupTimeout applies whatever the lookup's own limits.
const lookupTimeout = 45 * time.Second
