package console

import (
	"context"
	"errors"

	"exoshift/internal/fault"
	"exoshift/wizard"
)

// isSignInAvailable tells whether there is somebody at whom one can sign in.
func (c *promptSession) isSignInAvailable() bool {
	return c.session != nil && c.session.SignIn != nil && c.session.Answers.Spec.Syn.LieutenantURL != ""
}

// runSignIn leads to the pages where somebody signs in, waits for that, and asks Project Syn anew. Ctrl-C ends the waiting.
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
	_ = c.runLookups(ctx, wizard.Syn, true) // its end shows at the question
}

// printSignInHint says that one can sign in, where that would tell more.
func (c *promptSession) printSignInHint(inquiry wizard.Lookup, found lookupState) {
	if inquiry.Screen == wizard.Syn && found.result.Pending && c.isSignInAvailable() {
		c.printLine("Type :signin to sign in.")
	}
}
