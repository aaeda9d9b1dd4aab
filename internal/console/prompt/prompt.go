// Package prompt renders the session of an interview line by line: a question a line, an answer a line. It uses no cursor movement and
// needs no terminal, so that screen readers, serial lines and scripts can follow it.
package prompt

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
	"exoshift/internal/text"
	"exoshift/wizard"
	"exoshift/wizard/session"
)

// Prompter asks the questions of an interview.
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

// Run asks until the review is confirmed, or the user quits: then the draft has all answers. The end of the input is an
// error of kind fault.Cancelled, and never a confirmation.
func Run(ctx context.Context, p Prompter) (Outcome, error) {
	d := &dialog{Prompter: p, info: func(context.Context, string) bool { return false }, hints: func() []string { return nil }}
	option, interview, err := d.begin(ctx)
	outcome := Outcome{Option: option}
	if err == nil && interview != nil {
		outcome.Confirmed, err = newPromptSession(d, interview).run(ctx)
	}
	return outcome, wrapCancelled(err)
}

func wrapCancelled(err error) error {
	if err == nil || !errors.Is(err, ErrEnded) && !errors.Is(err, ErrInterrupted) && !errors.Is(err, context.Canceled) {
		return err
	}
	return fault.New(fault.Cancelled, "ask the questions", fmt.Errorf("%w; nothing was created", err))
}

// begin has a start option chosen and opens its interview.
func (d *dialog) begin(ctx context.Context) (option string, interview *wizard.Interview, err error) {
	d.info = func(_ context.Context, line string) bool {
		switch line {
		case ":show":
			d.printLine("There are no answers so far.")
		case ":export":
			d.printLine("There are no answers to write yet.")
		case ":signin":
			d.printLine("%s", noSignIn)
		default:
			return false
		}
		return true
	}
	d.printLine("Interactive mode in plain lines. %s", usageHint)
	if len(d.Options) == 0 {
		interview, err = d.Open(ctx, "")
		return "", interview, err
	}
	choices := make([]wizard.Choice, len(d.Options))
	for i, option := range d.Options {
		choices[i] = wizard.Choice{Value: cmp.Or(option.Title, option.ID), Note: option.Help}
	}
	for {
		chosen, err := d.selectChoice(ctx, "What would you like to do?", choices)
		if err != nil || chosen < 0 {
			return "", nil, err
		}
		option = d.Options[chosen].ID
		interview, err = d.Open(ctx, option)
		if err == nil || ctx.Err() != nil {
			return option, interview, err
		}
		d.printError("That is not possible", err)
	}
}

// promptSession goes through the stages of an interview: its screens, the checks and the review.
type promptSession struct {
	*dialog
	session       *session.Session
	advanced      map[wizard.Screen]bool // screens whose advanced settings are asked, too
	invalid       map[string]bool        // keys that are asked because of a problem
	suggestions   map[string]string      // suggested replacements of invalid answers, by key
	shownWarnings map[string]bool        // warnings shown already
	unsaved       bool                   // saving the last answer failed
}

func newPromptSession(d *dialog, i *wizard.Interview) *promptSession {
	c := &promptSession{
		dialog: d, session: session.New(i, time.Now), advanced: map[wizard.Screen]bool{}, invalid: map[string]bool{},
		shownWarnings: map[string]bool{}, suggestions: map[string]string{},
	}
	d.info, d.hints = c.handleInfo, c.describeSignIn
	return c
}

func (c *promptSession) printBeginning() {
	i := c.session.Interview
	if i.Rehearsal {
		c.printLine("This is a rehearsal on a simulated zone: no real resources, no cost.")
	}
	if i.CheckOnly {
		c.printLine("The checks are the last step: nothing is created.")
	}
	if i.DraftPath != "" {
		c.printLine("Your answers are saved in %s.", i.DraftPath)
	}
	if slices.Contains(slices.Collect(maps.Values(c.session.Answers().Origins)), wizard.Typed) {
		c.printLine("Some answers are already set: :show lists them, :next accepts those of a screen.")
	}
}

type position struct {
	stage wizard.Screen
	key   string // the question; "" for the first
	last  bool   // the last question in place of the first
	once  bool   // only this question is asked again
}

type navigation struct {
	command  command
	position position // the destination of commandGoTo
	yes      bool     // commandAnswer: the review was confirmed
}

// listStages returns the pages that are shown. Checking only ends with the checks.
func (c *promptSession) listStages() []wizard.Screen {
	return slices.DeleteFunc(session.Pages(), func(page wizard.Screen) bool {
		return !session.IsPageShown(c.session, page) || c.session.Interview.CheckOnly && page == session.ReviewPage
	})
}

// run reports whether the review was confirmed.
func (c *promptSession) run(ctx context.Context) (yes bool, err error) {
	defer func() {
		if unsaved := c.session.Close(); err == nil && unsaved != nil && !c.unsaved {
			c.printError("Warning: the answers could not be saved", unsaved)
		}
		if c.session.Checks.IsZoneLeft() {
			c.printLine("The instance in the zone is deleted first, which may take a minute.")
		}
		c.session.Checks.WaitZone()
	}()
	c.printBeginning()
	if err := c.refreshLocal(ctx); err != nil {
		return false, err
	}
	at := position{stage: c.listStages()[0]}
	for {
		c.printStage(at)
		next, err := c.runStage(ctx, at)
		switch {
		case err != nil:
			return false, err
		case next.command == commandQuit:
			return false, nil
		case next.command == commandAnswer && c.isLast(at.stage):
			return next.yes, nil
		}
		at = c.resolveNext(at, next)
	}
}

func (c *promptSession) isLast(stage wizard.Screen) bool {
	stages := c.listStages()
	return stages[len(stages)-1] == stage
}

func (c *promptSession) printStage(at position) {
	if at.once {
		return
	}
	stages := c.listStages()
	c.printBlank()
	c.printLine("%s", text.Join(" ", fmt.Sprintf("Screen %d of %d: %s.", slices.Index(stages, at.stage)+1, len(stages), session.PageTitle(at.stage)), at.stage.Intro()))
}

func (c *promptSession) runStage(ctx context.Context, at position) (navigation, error) {
	switch at.stage {
	case session.ChecksPage:
		return checksPrompt{c}.run(ctx)
	case session.ReviewPage:
		return reviewPrompt{c}.run(ctx)
	}
	return screenPrompt{c, at.stage}.run(ctx, at)
}

func (c *promptSession) resolveNext(at position, next navigation) position {
	stages := c.listStages()
	i := slices.Index(stages, at.stage)
	switch {
	case next.command == commandGoTo:
		return c.resolvePosition(i, next.position)
	case next.command == commandBack && i <= 0:
		c.printLine("This is the first question.")
		return position{stage: stages[0]}
	case next.command == commandBack:
		return position{stage: stages[i-1], last: true}
	}
	return position{stage: stages[min(i+1, len(stages)-1)]}
}

// resolvePosition stops at the first stage with a problem on the way.
func (c *promptSession) resolvePosition(from int, to position) position {
	stages := c.listStages()
	for _, stage := range stages[max(from, 0):max(from, slices.Index(stages, to.stage), 0)] {
		if problems := c.session.ScreenErrors(stage); len(problems) > 0 {
			c.printProblems(problems)
			return c.findPosition(problems[0], stage)
		}
	}
	return to
}

// findStage returns the navigation to a stage, counted from 1.
func (c *promptSession) findStage(n int) (navigation, bool) {
	stages := c.listStages()
	if n < 1 || n > len(stages) {
		c.printLine("There is no screen %d, only 1 to %d.", n, len(stages))
		return navigation{}, false
	}
	return navigation{command: commandGoTo, position: position{stage: stages[n-1]}}, true
}

// findPosition returns the question that fixes a problem; fallback is the stage where it was found.
func (c *promptSession) findPosition(problem wizard.Problem, fallback wizard.Screen) position {
	for _, field := range wizard.ScreenOf(problem.Field).ListFields(c.session.Spec()) {
		if session.HasPrefix(problem.Field, field.Key) {
			c.invalid[field.Key] = true
			c.session.Request(field.Key)
			if key, text := problem.FindFix(); key == field.Key {
				c.suggestions[field.Key] = text
			}
			return position{stage: field.Screen, key: field.Key, once: true}
		}
	}
	return position{stage: fallback}
}

// handleProblems leads to the question that fixes the first problem.
func (c *promptSession) handleProblems(ctx context.Context, stage wizard.Screen, problems []wizard.Problem) (navigation, error) {
	c.printProblems(problems)
	if to := c.findPosition(problems[0], stage); to.key != "" {
		return navigation{command: commandGoTo, position: to}, nil
	}
	return c.waitAt(ctx, stage, "Press Enter to retry")
}

// waitAt waits for a command where no question fits a problem.
func (c *promptSession) waitAt(ctx context.Context, stage wizard.Screen, what string) (navigation, error) {
	next, _, err := c.waitReply(ctx, stage, what)
	return next, err
}

func (c *promptSession) waitReply(ctx context.Context, stage wizard.Screen, what string) (navigation, reply, error) {
	got, err := c.readReply(ctx, what+", or type :screen 1 to go to a screen, < to go back, :quit to stop: ", nil)
	switch {
	case err != nil:
		return navigation{}, got, err
	case got.command == commandQuit, got.command == commandBack:
		return navigation{command: got.command}, got, nil
	case got.command == commandGoTo:
		if next, ok := c.findStage(got.screen); ok {
			return next, got, nil
		}
	}
	c.session.Refresh() // external state may have changed
	return navigation{command: commandGoTo, position: position{stage: stage}}, got, c.refreshLocal(ctx)
}
