package console

import (
	"context"
	"errors"
	"slices"
	"strings"

	"exoshift/wizard"
)

// heard is what the outside said about some answers, or why it said nothing.
type heard struct {
	reply wizard.Reply
	err   error
	about string // the answers that it is about
}

// inquire asks the outside what a screen wants to know of it, as far as that has not been asked about these answers.
// Who could not tell is asked about the same answers only if again is set.
func (c *conversation) inquire(ctx context.Context, screen wizard.Screen, again bool) error {
	for _, inquiry := range c.talk.Inquiries {
		if inquiry.Screen != screen || !c.ready(inquiry) {
			continue
		}
		subject := c.subject(inquiry)
		if known, was := c.heard[inquiry.ID]; was && known.about == subject && (known.err == nil || !again) {
			continue
		}
		c.say("%s: asking...", inquiry.Title)
		found := c.hear(ctx, inquiry)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		found.about = subject
		c.heard[inquiry.ID] = found
		c.tellHeard(inquiry, found)
		c.signInHint(inquiry, found)
	}
	return nil
}

func (c *conversation) tellHeard(inquiry wizard.Inquiry, found heard) {
	switch {
	case errors.Is(found.err, context.Canceled):
		c.say("%s: not asked any further. This blocks nothing.", inquiry.Title)
	case errors.Is(found.err, context.DeadlineExceeded):
		c.say("%s: nobody answered in time. This blocks nothing.", inquiry.Title)
	case found.err != nil:
		c.sayError(inquiry.Title+": nobody could tell", found.err)
		c.say("This blocks nothing.")
	case found.reply.Summary != "":
		c.say("%s: %s", inquiry.Title, sentence(found.reply.Summary))
	case len(found.reply.Faults) == 0:
		c.say("%s: nothing is wrong.", inquiry.Title)
	default:
		c.say("%s: something is wrong.", inquiry.Title)
	}
}

// hear waits for a reply, for so long at most, or until Ctrl-C: whoever is asked may not know of either.
func (c *conversation) hear(ctx context.Context, inquiry wizard.Inquiry) heard {
	asking, end := c.interruptible(ctx)
	defer end()
	asking, cancel := context.WithTimeout(asking, askLimit)
	defer cancel()
	spec := c.talk.Answers.Spec
	secrets, _ := c.secrets()
	replied := make(chan heard, 1)
	go func() {
		reply, err := inquiry.Ask(asking, spec, secrets)
		replied <- heard{reply: reply, err: err}
	}()
	select {
	case found := <-replied:
		return found
	case <-asking.Done():
		return heard{err: asking.Err()}
	}
}

func (c *conversation) interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.Interruptible == nil {
		return context.WithCancel(ctx)
	}
	return c.Interruptible(ctx)
}

// ready tells whether none of the answers that an inquiry depends on is missing or wrong.
func (c *conversation) ready(inquiry wizard.Inquiry) bool {
	if !inquiry.AskedOf(c.talk.Answers.Spec) {
		return false
	}
	faults := c.allFaults()
	for _, key := range inquiry.Keys {
		if slices.ContainsFunc(faults, func(f wizard.Fault) bool { return isPart(f.Field, key) }) {
			return false
		}
	}
	return true
}

// subject tells the answers that an inquiry is about apart from others.
func (c *conversation) subject(inquiry wizard.Inquiry) string {
	var words []string
	for _, screen := range wizard.Screens() {
		for _, field := range screen.Fields(c.talk.Answers.Spec) {
			if slices.ContainsFunc(inquiry.Keys, func(key string) bool { return isPart(field.Key, key) }) {
				words = append(words, field.Key+"="+field.Get(c.talk.Answers.Spec))
			}
		}
	}
	return strings.Join(words, "\n")
}

// foundOutside returns what the outside says is wrong on a screen, or with what it was asked there.
func (c *conversation) foundOutside(screen wizard.Screen) []wizard.Fault {
	faults := c.shortages(screen)
	for _, inquiry := range c.talk.Inquiries {
		for _, f := range c.heard[inquiry.ID].reply.Faults {
			if inquiry.Screen == screen || wizard.ScreenOf(f.Field) == screen {
				faults = append(faults, f)
			}
		}
	}
	return faults
}
