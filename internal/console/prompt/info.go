package prompt

import (
	"context"
	"errors"
	"strings"

	"exoshift/internal/console"
	"exoshift/internal/fault"
	"exoshift/internal/text"
	"exoshift/wizard"
	"exoshift/wizard/session"
)

// refreshLocal reads the files and variables that the answers refer to, if these have changed.
func (c *promptSession) refreshLocal(ctx context.Context) error {
	if work := c.session.Local.Start(); work != nil {
		work(ctx, func(update func()) { update() })
	}
	return ctx.Err()
}

// keep saves the answers after a change. An error is printed once; the next answer retries.
func (c *promptSession) keep(ctx context.Context) {
	_ = c.refreshLocal(ctx) // the next reply reports the end of the context
	c.session.Saves.Flush()
	_, err := c.session.Saves.LastSaved()
	if err != nil && !c.unsaved {
		c.printError("Warning: the answers could not be saved", err)
	}
	if err == nil && c.unsaved {
		c.printLine("The answers are saved again.")
	}
	c.unsaved = err != nil
}

func (c *promptSession) printProblems(problems []wizard.Problem) {
	for _, p := range problems {
		c.printLine("%s", c.formatProblem(c.findTitle(p.Field), p))
	}
}

// formatProblem returns sentences about a problem with the field of that title.
func (c *promptSession) formatProblem(title string, p wizard.Problem) string {
	w := session.DescribeProblem(c.session, p)
	separator := ": "
	if title == "" {
		separator = ""
	}
	for _, verb := range []string{"is ", "holds ", "names ", "cannot "} {
		if strings.HasPrefix(w.Message, verb) {
			separator = " "
		}
	}
	words := text.Sentence(title + separator + w.Message)
	if w.Example != "" {
		words += " An example: " + w.Example
	} else if w.Allowed != "" {
		words += " Allowed: " + text.Sentence(w.Allowed)
	}
	if w.Suggestion != "" {
		words += " Did you mean " + w.Suggestion + "?"
	}
	if w.Hint != "" {
		words += " Fix: " + text.Sentence(w.Hint)
	}
	return words
}

func (c *promptSession) findTitle(key string) string {
	if field, found := c.session.FindField(key); found && (field.Shape() != wizard.Groups || key == field.Key) {
		return field.Title
	}
	return key
}

// printWarnings prints each warning of a screen once.
func (c *promptSession) printWarnings(screen wizard.Screen) {
	for _, p := range c.session.ListWarnings() {
		if wizard.ScreenOf(p.Field) == screen {
			c.printWarning(c.findTitle(p.Field), p)
		}
	}
}

func (c *promptSession) printWarning(title string, p wizard.Problem) {
	words := "Warning: " + c.formatProblem(title, p)
	if !c.shownWarnings[words] {
		c.shownWarnings[words] = true
		c.printLine("%s", words)
	}
}

// handleInfo answers requests about the answers.
func (c *promptSession) handleInfo(ctx context.Context, line string) bool {
	switch line {
	case ":show":
		c.printAnswers()
	case ":export":
		c.export()
	case ":signin":
		c.signIn(ctx)
	default:
		return false
	}
	return true
}

func (c *promptSession) printAnswers() {
	kept := 0
	for _, screen := range wizard.Screens() {
		for _, field := range screen.ListFields(c.session.Spec()) {
			origin := c.session.Answers().Origin(field.Key)
			if origin == wizard.ByDefault {
				kept++
				continue
			}
			c.printLine("%s: %s (%s).", field.Title, formatAnswer(field, field.Get(c.session.Spec())), describeOrigin(origin))
		}
	}
	c.printLine("%s with defaults.", text.Plural(kept, "further answer"))
}

func (c *promptSession) export() {
	possible := c.session.Saves.Export(func(path string, err error) {
		if err != nil {
			c.printError("The answers file could not be written", err)
			return
		}
		c.printLine("The answers are in the file %s", path)
	})
	if !possible {
		c.printLine("There are no answers to write yet.")
		return
	}
	c.session.Saves.Flush()
}

const noSignIn = ":signin requires the URL of Lieutenant: answer that question first."

func (c *promptSession) describeSignIn() []string {
	if !session.CanSignIn(c.session) {
		return nil
	}
	return []string{":signin signs in to Project Syn with a browser."}
}

// signIn shows the sign-in URL, waits for the sign-in, and repeats the lookups of Project Syn. Ctrl-C ends only the wait.
func (c *promptSession) signIn(ctx context.Context) {
	if !session.CanSignIn(c.session) {
		c.printLine("%s", noSignIn)
		return
	}
	waiting, end := c.withInterrupt(ctx)
	defer end()
	err := c.session.Interview.SignIn(waiting, c.session.Spec(), func(page string) {
		c.printLine("Open this URL in a browser on this machine and sign in. The prompt continues once you are signed in; Ctrl-C cancels:")
		c.printLine("%s", console.SanitizeLine(page))
	})
	switch {
	case errors.Is(err, context.Canceled), fault.Is(err, fault.Cancelled):
		c.printLine("Not signed in.")
		return
	case err != nil:
		c.printError("The sign-in failed", err)
		return
	}
	c.printLine("You are signed in.")
	c.session.Lookups.Repeat(func(q session.Lookup) bool { return q.Screen == wizard.Syn })
	_ = screenPrompt{c, wizard.Syn}.runLookups(ctx) // its result is shown at the question
}
