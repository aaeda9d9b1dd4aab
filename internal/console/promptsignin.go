package console

import (
	"context"
	"errors"

	"exoshift/internal/fault"
	"exoshift/wizard"
)

func (c *promptSession) isSignInAvailable() bool {
	return c.session != nil && c.session.SignIn != nil && c.session.Answers.Spec.Syn.LieutenantURL != ""
}

// runSignIn shows the sign-in URL, waits for the sign-in, and repeats the lookups of Project Syn. Ctrl-C ends only the wait.
func (c *promptSession) runSignIn(ctx context.Context) {
	if !c.isSignInAvailable() {
		c.printLine(":signin means nothing without a Lieutenant: answer that question first.")
		return
	}
	waiting, end := c.withInterrupt(ctx)
	defer end()
	err := c.session.SignIn(waiting, c.session.Answers.Spec, func(page string) {
		c.printLine("Open this page in a browser on this machine, and sign in there. This goes on by itself once you have, and Ctrl-C ends it:")
		c.printLine("%s", SanitizeLine(page))
	})
	switch {
	case errors.Is(err, context.Canceled), fault.Is(err, fault.Cancelled):
		c.printLine("Not signed in.")
		return
	case err != nil:
		c.printError("Nobody could be signed in", err)
		return
	}
	c.printLine("You are signed in.")
	for _, inquiry := range c.session.Lookups {
		if inquiry.Screen == wizard.Syn {
			delete(c.lookups, inquiry.ID)
		}
	}
	_ = c.runLookups(ctx, wizard.Syn, true) // its result is shown at the question
}

// printSignInHint suggests signing in, if the lookup would then find more.
func (c *promptSession) printSignInHint(inquiry wizard.Lookup, found lookupState) {
	if inquiry.Screen == wizard.Syn && found.result.Pending && c.isSignInAvailable() {
		c.printLine("Type :signin to sign in.")
	}
}
