package console

import (
	"context"
	"errors"

	"exoshift/internal/fault"
	"exoshift/wizard"
)

// maySignIn tells whether there is somebody at whom one can sign in.
func (c *conversation) maySignIn() bool {
	return c.talk != nil && c.talk.SignIn != nil && c.talk.Answers.Spec.Syn.LieutenantURL != ""
}

// signIn leads to the pages where somebody signs in, waits for that, and asks Project Syn anew. Ctrl-C ends the waiting.
func (c *conversation) signIn(ctx context.Context) {
	if !c.maySignIn() {
		c.say(":signin means nothing without a Lieutenant: answer that question first.")
		return
	}
	waiting, end := c.interruptible(ctx)
	defer end()
	err := c.talk.SignIn(waiting, c.talk.Answers.Spec, func(page string) {
		c.say("Open this page in a browser on this machine, and sign in there. This goes on by itself once you have, and Ctrl-C ends it:")
		c.say("%s", Clean(page))
	})
	switch {
	case errors.Is(err, context.Canceled), fault.Is(err, fault.Cancelled):
		c.say("Not signed in.")
		return
	case err != nil:
		c.sayError("Nobody could be signed in", err)
		return
	}
	c.say("You are signed in.")
	for _, inquiry := range c.talk.Inquiries {
		if inquiry.Screen == wizard.Syn {
			delete(c.heard, inquiry.ID)
		}
	}
	_ = c.inquire(ctx, wizard.Syn, true) // its end shows at the question
}

// signInHint says that one can sign in, where that would tell more.
func (c *conversation) signInHint(inquiry wizard.Inquiry, found heard) {
	if inquiry.Screen == wizard.Syn && found.reply.Pending && c.maySignIn() {
		c.say("Type :signin to sign in.")
	}
}
