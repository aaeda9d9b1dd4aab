package console

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"

	"exoshift/wizard"
	"exoshift/wizard/reach"
)

// skipKey is the answer that says which checks of reachability are left out.
const skipKey = "checks.skip"

// tellService tells of a service what is not simply well; what to do only until many have the same cause.
func (c *conversation) tellService(now wizard.CheckState, all checkStates) {
	r := now.Reach.Result
	name := parts(", ", now.Title, r.ID, r.Target)
	switch {
	case r.Verdict == reach.Fail || r.Verdict == reach.Warn:
		word := map[reach.Verdict]string{reach.Fail: "failed", reach.Warn: "warning"}[r.Verdict]
		c.say("%s", sentence(fmt.Sprintf("%s: %s, seen from %s: %s", name, word, placeOfVantage(r.Vantage), r.Sentence())))
		if r.Hint != "" && all.causes().of(r) == 0 {
			c.say("What to do: %s", sentence(r.Hint))
		}
	case r.Verdict == reach.Skipped && r.Chosen():
		c.say("%s", sentence(name+": "+r.Sentence()))
	}
	if ended := expired(r); ended != "" {
		c.say("%s", sentence(name+": "+ended))
	}
}

// placeOfVantage says for people where is looked from.
func placeOfVantage(vantage string) string {
	host, ssh := strings.CutPrefix(vantage, reach.SSHVantage)
	switch {
	case vantage == reach.Zone:
		return "inside the zone"
	case ssh:
		return host
	}
	return "this workstation"
}

// tellReached counts the services that were looked at, once for each place.
func (c *conversation) tellReached(all checkStates) {
	counts := map[string]*tally{}
	var vantages []string
	for _, state := range all {
		if state.Reach == nil || state.Reach.Result.Verdict == "" {
			continue
		}
		r := state.Reach.Result
		if counts[r.Vantage] == nil {
			vantages = append(vantages, r.Vantage)
			usual := inOrder("reached", "with a warning", "not reached", "not checked")
			counts[r.Vantage] = &usual
		}
		counts[r.Vantage].add(map[reach.Verdict]string{
			reach.OK: "reached", reach.Warn: "with a warning", reach.Fail: "not reached", reach.Skipped: "not checked",
		}[r.Verdict])
	}
	slices.Sort(vantages)
	for _, vantage := range vantages {
		c.say("Services, seen from %s: %s.", placeOfVantage(vantage), counts[vantage].String())
	}
	for _, cause := range all.causes() {
		c.say("%s", sentence("The "+cause.String()))
		c.say("What to do: %s", sentence(cause.Hint))
	}
}

// offer has a question take more than the usual until it is undone.
func (c *conversation) offer(ways ...way) (undo func()) {
	before := c.offers
	c.offers = ways
	return func() { c.offers = before }
}

// offersHere says what the question takes beside the usual.
func (c *conversation) offersHere() (sentences []string) {
	if slices.Contains(c.offers, omitting) {
		sentences = append(sentences, ":skip NET-RH-001 REASON until 2027-01-31 leaves that check out until that day; others will read the reason.")
	}
	if slices.Contains(c.offers, fromZone) {
		sentences = append(sentences, ":zone looks from inside the zone, too.")
	}
	if c.maySignIn() {
		sentences = append(sentences, ":signin leads you to the pages where you sign in at Project Syn.")
	}
	return sentences
}

// aboutChecks reads a command about the checks; text is what follows it.
func (c *conversation) aboutChecks(word, text string) (said, bool) {
	meant := map[string]way{":skip": omitting, ":zone": fromZone}[word]
	if slices.Contains(c.offers, meant) {
		return said{way: meant, text: text}, true
	}
	c.say("%s means nothing at this question: it can be typed after the checks.", word)
	return said{}, false
}

// zoneHint says that there is another place to look from, if there is.
func (c *conversation) zoneHint(when string) string {
	if c.talk.CheckFromZone == nil || c.talk.CheckOnly {
		return ""
	}
	return when + ", :zone looks from inside the zone, too."
}

// pauseAtChecks waits until the operator has done something about the checks.
func (c *conversation) pauseAtChecks(ctx context.Context, all checkStates) (turn, error) {
	var ways []way
	if all.services() {
		ways = append(ways, omitting)
	}
	if c.talk.CheckFromZone != nil {
		ways = append(ways, fromZone)
	}
	defer c.offer(ways...)()
	c.sayAll(c.offersHere())
	for {
		next, got, err := c.pausing(ctx, checks, "Press Enter to check again")
		switch {
		case err != nil:
			return turn{}, err
		case got.way == omitting:
			c.omit(got.text)
		case got.way == fromZone:
			if err := c.checkFromZone(ctx); err != nil {
				return turn{}, err
			}
		default:
			return next, nil
		}
	}
}

// omit writes into the answers that a check is left out, as long as they stay without a fault.
func (c *conversation) omit(text string) {
	id, reason, _ := strings.Cut(text, " ")
	id, reason = strings.ToUpper(id), strings.TrimPrefix(strings.TrimSpace(reason), "because ")
	if id == "" || reason == "" {
		c.say("Say which check and why, as in: :skip NET-RH-001 the firewall is being changed until 2027-01-31")
		return
	}
	answers := c.talk.Answers
	before := answers.Copy()
	list, err := withItem(before, id, reason)
	if err == nil {
		err = answers.Set(skipKey, list, wizard.Typed)
	}
	if err == nil {
		for _, f := range c.faults(wizard.ScreenOf(skipKey)) {
			if isPart(f.Field, skipKey) {
				err = errors.Join(err, f)
			}
		}
	}
	if err != nil {
		*answers = *before
		c.refuse(wizard.Field{Key: skipKey, Title: "Left out"}, err)
		return
	}
	c.save()
	c.say("%s", sentence("The answers leave "+id+" out: "+reason))
}

// withItem returns the checks that are left out, as text, with one more.
func withItem(answers *wizard.Answers, id, reason string) (string, error) {
	items := []string{}
	for other, why := range answers.Spec.Checks.Skip {
		if other != id {
			items = append(items, other+"="+why)
		}
	}
	items = append(items, id+"="+reason)
	slices.Sort(items)
	var line strings.Builder
	w := csv.NewWriter(&line)
	if err := w.Write(items); err != nil {
		return "", err
	}
	w.Flush()
	return strings.TrimSpace(line.String()), w.Error()
}

// checkFromZone makes the checks of reachability from inside the zone once the operator has said yes to what that costs.
func (c *conversation) checkFromZone(ctx context.Context) error {
	if c.talk.ZoneTerms != nil {
		c.say("%s", sentence(c.talk.ZoneTerms(c.talk.Answers.Spec)))
	}
	got, err := c.ask(ctx, "Type yes to start it: ", nil)
	switch {
	case err != nil:
		return err
	case got.way != answered || !strings.EqualFold(got.text, "yes"):
		c.say("That was no yes, nothing was started.")
		return nil
	}
	all, err := c.runChecks(ctx, c.talk.CheckFromZone)
	failed := all.failed()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, context.Canceled):
		c.say("The checks were stopped.")
	case err != nil:
		c.sayError("The checks from inside the zone could not be made", err)
	case failed == 0:
		c.say("All that has to be reached from inside the zone is reached.")
	default:
		c.say("%s cannot be reached from inside the zone, and has to be.", count(failed, "service"))
	}
	return nil
}
