package console

import (
	"context"
	"errors"
	"slices"
	"strings"

	"exoshift/wizard"
)

type lookupState struct {
	result  wizard.LookupResult
	err     error
	subject string // the answers that it depends on
}

// runLookups runs the lookups of a screen whose answers have changed since their last run. Failed lookups are repeated for
// unchanged answers only if again is set.
func (c *promptSession) runLookups(ctx context.Context, screen wizard.Screen, again bool) error {
	for _, inquiry := range c.session.Lookups {
		if inquiry.Screen != screen || !c.isReady(inquiry) {
			continue
		}
		subject := c.buildSubject(inquiry)
		if known, was := c.lookups[inquiry.ID]; was && known.subject == subject && (known.err == nil || !again) {
			continue
		}
		c.printLine("%s: asking...", inquiry.Title)
		found := c.runLookup(ctx, inquiry)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		found.subject = subject
		c.lookups[inquiry.ID] = found
		c.printLookup(inquiry, found)
		c.printSignInHint(inquiry, found)
	}
	return nil
}

func (c *promptSession) printLookup(inquiry wizard.Lookup, found lookupState) {
	switch {
	case errors.Is(found.err, context.Canceled):
		c.printLine("%s: not asked any further. This blocks nothing.", inquiry.Title)
	case errors.Is(found.err, context.DeadlineExceeded):
		c.printLine("%s: nobody answered in time. This blocks nothing.", inquiry.Title)
	case found.err != nil:
		c.printError(inquiry.Title+": nobody could tell", found.err)
		c.printLine("This blocks nothing.")
	case found.result.Summary != "":
		c.printLine("%s: %s", inquiry.Title, formatSentence(found.result.Summary))
	case len(found.result.Problems) == 0:
		c.printLine("%s: nothing is wrong.", inquiry.Title)
	default:
		c.printLine("%s: something is wrong.", inquiry.Title)
	}
}

// runLookup does not rely on the lookup to respect its context: it returns after lookupTimeout or Ctrl-C in any case.
func (c *promptSession) runLookup(ctx context.Context, inquiry wizard.Lookup) lookupState {
	asking, end := c.withInterrupt(ctx)
	defer end()
	asking, cancel := context.WithTimeout(asking, lookupTimeout)
	defer cancel()
	spec := c.session.Answers.Spec
	secrets, _ := c.resolveSecrets()
	replied := make(chan lookupState, 1)
	go func() {
		reply, err := inquiry.Run(asking, spec, secrets)
		replied <- lookupState{result: reply, err: err}
	}()
	select {
	case found := <-replied:
		return found
	case <-asking.Done():
		return lookupState{err: asking.Err()}
	}
}

func (c *promptSession) withInterrupt(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.Interruptible == nil {
		return context.WithCancel(ctx)
	}
	return c.Interruptible(ctx)
}

// isReady reports whether all answers that a lookup depends on are valid.
func (c *promptSession) isReady(inquiry wizard.Lookup) bool {
	if !inquiry.IsRelevant(c.session.Answers.Spec) {
		return false
	}
	faults := c.listAllProblems()
	for _, key := range inquiry.Keys {
		if slices.ContainsFunc(faults, func(f wizard.Problem) bool { return isPart(f.Field, key) }) {
			return false
		}
	}
	return true
}

func (c *promptSession) buildSubject(inquiry wizard.Lookup) string {
	var words []string
	for _, screen := range wizard.Screens() {
		for _, field := range screen.ListFields(c.session.Answers.Spec) {
			if slices.ContainsFunc(inquiry.Keys, func(key string) bool { return isPart(field.Key, key) }) {
				words = append(words, field.Key+"="+field.Get(c.session.Answers.Spec))
			}
		}
	}
	return strings.Join(words, "\n")
}

// listLookupProblems returns problems found by the lookups of a screen, and failed lookups.
func (c *promptSession) listLookupProblems(screen wizard.Screen) []wizard.Problem {
	faults := c.listQuotaProblems(screen)
	for _, inquiry := range c.session.Lookups {
		for _, f := range c.lookups[inquiry.ID].result.Problems {
			if inquiry.Screen == screen || wizard.ScreenOf(f.Field) == screen {
				faults = append(faults, f)
			}
		}
	}
	return faults
}
