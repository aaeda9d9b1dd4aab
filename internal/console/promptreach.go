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

// skipKey is the answer with the skipped connectivity checks.
const skipKey = "checks.skip"

// printEndpoint prints checks that are not OK; with the fix only while they have no common cause.
func (c *promptSession) printEndpoint(now wizard.CheckState, all checkStates) {
	r := now.Reach.Result
	name := joinNonEmpty(", ", now.Title, r.ID, r.Target)
	switch {
	case r.Verdict == reach.Fail || r.Verdict == reach.Warn:
		word := map[reach.Verdict]string{reach.Fail: "failed", reach.Warn: "warning"}[r.Verdict]
		c.printLine("%s", formatSentence(fmt.Sprintf("%s: %s, seen from %s: %s", name, word, describeSource(r.Source), r.Describe())))
		if r.Hint != "" && all.listCauses().getNumber(r) == 0 {
			c.printLine("What to do: %s", formatSentence(r.Hint))
		}
	case r.Verdict == reach.Skipped && r.IsManualSkip():
		c.printLine("%s", formatSentence(name+": "+r.Describe()))
	}
	if ended := formatExpiredSkip(r); ended != "" {
		c.printLine("%s", formatSentence(name+": "+ended))
	}
}

func describeSource(vantage string) string {
	host, ssh := strings.CutPrefix(vantage, reach.SSHSource)
	switch {
	case vantage == reach.Zone:
		return "inside the zone"
	case ssh:
		return host
	}
	return "this workstation"
}

func (c *promptSession) printEndpointCounts(all checkStates) {
	counts := map[string]*wordCounts{}
	var vantages []string
	for _, state := range all {
		if state.Reach == nil || state.Reach.Result.Verdict == "" {
			continue
		}
		r := state.Reach.Result
		if counts[r.Source] == nil {
			vantages = append(vantages, r.Source)
			usual := newWordCounts("reached", "with a warning", "not reached", "not checked")
			counts[r.Source] = &usual
		}
		counts[r.Source].add(map[reach.Verdict]string{
			reach.OK: "reached", reach.Warn: "with a warning", reach.Fail: "not reached", reach.Skipped: "not checked",
		}[r.Verdict])
	}
	slices.Sort(vantages)
	for _, vantage := range vantages {
		c.printLine("Services, seen from %s: %s.", describeSource(vantage), counts[vantage].String())
	}
	for _, cause := range all.listCauses() {
		c.printLine("%s", formatSentence("The "+cause.String()))
		c.printLine("What to do: %s", formatSentence(cause.Hint))
	}
}

// enableCommands enables additional commands until undo is called.
func (c *promptSession) enableCommands(ways ...command) (undo func()) {
	before := c.extraCommands
	c.extraCommands = ways
	return func() { c.extraCommands = before }
}

func (c *promptSession) describeCommands() (sentences []string) {
	if slices.Contains(c.extraCommands, commandSkipCheck) {
		sentences = append(sentences, ":skip NET-RH-001 REASON until 2027-01-31 leaves that check out until that day; others will read the reason.")
	}
	if slices.Contains(c.extraCommands, commandZone) {
		sentences = append(sentences, ":zone looks from inside the zone, too.")
	}
	if c.isSignInAvailable() {
		sentences = append(sentences, ":signin leads you to the pages where you sign in at Project Syn.")
	}
	return sentences
}

// parseCheckCommand parses a command about the checks; text is its argument.
func (c *promptSession) parseCheckCommand(word, text string) (reply, bool) {
	meant := map[string]command{":skip": commandSkipCheck, ":zone": commandZone}[word]
	if slices.Contains(c.extraCommands, meant) {
		return reply{command: meant, text: text}, true
	}
	c.printLine("%s means nothing at this question: it can be typed after the checks.", word)
	return reply{}, false
}

// formatZoneHint returns "" if the checks cannot run in the zone.
func (c *promptSession) formatZoneHint(when string) string {
	if c.session.CheckFromZone == nil || c.session.CheckOnly {
		return ""
	}
	return when + ", :zone looks from inside the zone, too."
}

func (c *promptSession) waitAtChecks(ctx context.Context, all checkStates) (navigation, error) {
	var ways []command
	if all.hasEndpoints() {
		ways = append(ways, commandSkipCheck)
	}
	if c.session.CheckFromZone != nil {
		ways = append(ways, commandZone)
	}
	defer c.enableCommands(ways...)()
	c.printLines(c.describeCommands())
	for {
		next, got, err := c.waitReply(ctx, checks, "Press Enter to check again")
		switch {
		case err != nil:
			return navigation{}, err
		case got.command == commandSkipCheck:
			c.skipCheck(got.text)
		case got.command == commandZone:
			if err := c.checkFromZone(ctx); err != nil {
				return navigation{}, err
			}
		default:
			return next, nil
		}
	}
}

// skipCheck adds a skipped check to the answers, if they stay valid.
func (c *promptSession) skipCheck(text string) {
	id, reason, _ := strings.Cut(text, " ")
	id, reason = strings.ToUpper(id), strings.TrimPrefix(strings.TrimSpace(reason), "because ")
	if id == "" || reason == "" {
		c.printLine("Say which check and why, as in: :skip NET-RH-001 the firewall is being changed until 2027-01-31")
		return
	}
	answers := c.session.Answers
	before := answers.Copy()
	list, err := withItem(before, id, reason)
	if err == nil {
		err = answers.Set(skipKey, list, wizard.Typed)
	}
	if err == nil {
		for _, f := range c.listProblems(wizard.ScreenOf(skipKey)) {
			if isPart(f.Field, skipKey) {
				err = errors.Join(err, f)
			}
		}
	}
	if err != nil {
		*answers = *before
		c.rejectAnswer(wizard.Field{Key: skipKey, Title: "Left out"}, err)
		return
	}
	c.save()
	c.printLine("%s", formatSentence("The answers leave "+id+" out: "+reason))
}

// withItem returns the skipped checks as text, with one more.
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

// checkFromZone asks for confirmation of the costs first.
func (c *promptSession) checkFromZone(ctx context.Context) error {
	if c.session.ZoneTerms != nil {
		c.printLine("%s", formatSentence(c.session.ZoneTerms(c.session.Answers.Spec)))
	}
	got, err := c.readReply(ctx, "Type yes to start it: ", nil)
	switch {
	case err != nil:
		return err
	case got.command != commandAnswer || !strings.EqualFold(got.text, "yes"):
		c.printLine("That was no yes, nothing was started.")
		return nil
	}
	all, err := c.runChecks(ctx, c.session.CheckFromZone)
	failed := all.countFailed()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, context.Canceled):
		c.printLine("The checks were stopped.")
	case err != nil:
		c.printError("The checks from inside the zone could not be made", err)
	case failed == 0:
		c.printLine("All that has to be reached from inside the zone is reached.")
	default:
		c.printLine("%s cannot be reached from inside the zone, and has to be.", formatCount(failed, "service"))
	}
	return nil
}
