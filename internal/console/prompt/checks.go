package prompt

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"exoshift/internal/console"
	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/wizard"
	"exoshift/wizard/reach"
	"exoshift/wizard/session"
)

// checksPrompt runs the checks before an installation.
type checksPrompt struct{ *promptSession }

// run leads back to the questions first where answers have problems.
func (p checksPrompt) run(ctx context.Context) (navigation, error) {
	if problems := session.ListBlocking(p.session); len(problems) > 0 {
		return p.handleProblems(ctx, session.ChecksPage, problems)
	}
	if p.session.Interview.Check == nil {
		return navigation{command: commandAnswer}, nil
	}
	p.printLine("These checks verify all requirements of an installation. They are read-only.")
	runs := p.session.Checks
	if err := p.check(ctx, runs.Local, runs.StartLocal(p.events(runs.Local))); err != nil {
		return navigation{}, err
	}
	switch failed := runs.Local.CountFailed(); {
	case !runs.Local.IsKnown():
		p.printLine("The checks were stopped.")
	case failed > 0:
		p.printLine("%s failed.", text.Plural(failed, "check"))
	default:
		hint := ""
		if p.session.Interview.CheckFromZone != nil && !p.session.Interview.CheckOnly {
			hint = "At the next question, :zone also checks from inside the zone."
		}
		p.printLine("%s", text.Join(" ", "All checks passed.", hint))
		return navigation{command: commandAnswer}, nil
	}
	return p.wait(ctx)
}

// events prints each change of a check.
func (p checksPrompt) events(run *session.CheckRun) session.CheckEvents {
	return session.CheckEvents{Changed: func(now wizard.CheckState, isNews bool) {
		switch {
		case !isNews:
		case now.Reach != nil:
			p.printEndpoint(now, run.Causes())
		default:
			p.printStep(session.CheckStep{CheckState: now})
		}
	}}
}

// check waits for a run and prints its result. Ctrl-C ends only the run; an error means that the prompt ends.
func (p checksPrompt) check(ctx context.Context, run *session.CheckRun, work session.Work) error {
	if err := p.dialog.wait(ctx, work); err != nil {
		run.Stop()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, step := range run.Failures() {
		p.printStep(step)
	}
	if run.IsKnown() {
		p.printEndpointCounts(run)
	}
	return nil
}

func (p checksPrompt) printStep(step session.CheckStep) {
	p.printLine("%s", text.Sentence(fmt.Sprintf("%s: %s", step.Title, text.Join(", ", describeStep(step), step.Text))))
	if step.State == provisioner.Failed || step.Warning {
		p.printFix(step)
	}
}

func describeStep(step session.CheckStep) string {
	if step.Warning {
		return "warning"
	}
	switch step.State {
	case provisioner.Started:
		return "checking"
	case provisioner.Done:
		return "ok"
	case provisioner.Failed:
		return "failed"
	case provisioner.Skipped:
		return "skipped"
	}
	return ""
}

func (p checksPrompt) printFix(step session.CheckStep) {
	if step.Hint != "" {
		for line := range strings.Lines("Fix: " + step.Hint) {
			if line = console.SanitizeLine(line); line != "" {
				p.printLine("%s", line)
			}
		}
	}
	if field, found := session.FindAsked(step.Field, p.session.Spec()); found {
		stage := slices.Index(p.listStages(), field.Screen) + 1
		p.printLine("The answer to change: %s. Type :screen %d to go there.", field.Title, stage)
	}
}

// printEndpoint prints checks that are not OK; with the fix only while they have no common cause.
func (p checksPrompt) printEndpoint(now wizard.CheckState, causes []reach.Cause) {
	r := now.Reach.Result
	name := text.Join(", ", now.Title, r.ID, r.Target)
	switch {
	case r.Verdict == reach.Fail || r.Verdict == reach.Warn:
		word := "failed"
		if r.Verdict == reach.Warn {
			word = "warning"
		}
		p.printLine("%s", text.Sentence(fmt.Sprintf("%s: %s, seen from %s: %s", name, word, describeSource(r.Source), r.Describe())))
		explained := slices.ContainsFunc(causes, func(c reach.Cause) bool { return c.Explains(r) })
		if r.Hint != "" && !explained {
			p.printLine("Fix: %s", text.Sentence(r.Hint))
		}
	case r.Verdict == reach.Skipped && r.IsManualSkip():
		p.printLine("%s", text.Sentence(name+": "+r.Describe()))
	}
	if ended := r.Evidence[reach.EvidenceExpiredSkip]; ended != "" {
		p.printLine("%s", text.Sentence(name+": this skip has expired: "+ended))
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

func (p checksPrompt) printEndpointCounts(run *session.CheckRun) {
	counts := map[string]*text.Counts{}
	for _, r := range run.Results() {
		if counts[r.Source] == nil {
			counts[r.Source] = text.NewCounts("reached", "with a warning", "not reached", "not checked")
		}
		counts[r.Source].Add(describeVerdict(r.Verdict))
	}
	for _, vantage := range slices.Sorted(maps.Keys(counts)) {
		p.printLine("Services, seen from %s: %s.", describeSource(vantage), counts[vantage].String())
	}
	for _, cause := range run.Causes() {
		p.printLine("%s", text.Sentence("The "+cause.String()))
		p.printLine("Fix: %s", text.Sentence(cause.Hint))
	}
}

func describeVerdict(verdict reach.Verdict) string {
	switch verdict {
	case reach.OK:
		return "reached"
	case reach.Warn:
		return "with a warning"
	case reach.Fail:
		return "not reached"
	case reach.Skipped:
	}
	return "not checked"
}

// wait waits for what to do about checks that failed.
func (p checksPrompt) wait(ctx context.Context) (navigation, error) {
	var more []command
	if p.session.Checks.Local.HasEndpoints() {
		more = append(more, commandSkipCheck)
	}
	if p.session.Interview.CheckFromZone != nil {
		more = append(more, commandZone)
	}
	defer p.enableCommands(more...)()
	p.printLines(p.describeCommands())
	for {
		next, got, err := p.waitReply(ctx, session.ChecksPage, "Press Enter to check again")
		switch {
		case err != nil:
			return navigation{}, err
		case got.command == commandSkipCheck:
			p.skip(ctx, got.text)
		case got.command == commandZone:
			if err := p.checkFromZone(ctx); err != nil {
				return navigation{}, err
			}
		default:
			return next, nil
		}
	}
}

// skip adds a skipped check to the answers, if they stay valid.
func (p checksPrompt) skip(ctx context.Context, argument string) {
	id, reason, _ := strings.Cut(argument, " ")
	id, reason = strings.ToUpper(id), strings.TrimPrefix(strings.TrimSpace(reason), "because ")
	if id == "" || reason == "" {
		p.printLine("Give the check and a reason, e.g. :skip NET-RH-001 the firewall is being changed until 2027-01-31")
		return
	}
	if err := p.session.Checks.Skip(id, reason); err != nil {
		fieldPrompt{p.promptSession, wizard.Field{Key: session.SkipKey, Title: "Skipped"}}.rejectAnswer(err)
		return
	}
	p.keep(ctx)
	p.printLine("%s", text.Sentence("The answers skip "+id+" out: "+reason))
}

// checkFromZone asks for confirmation of the costs first.
func (p checksPrompt) checkFromZone(ctx context.Context) error {
	runs := p.session.Checks
	if why, ok := runs.CanCheckZone(); !ok {
		p.printLine("%s", why)
		return nil
	}
	p.printLine("%s", text.Sentence(runs.ZoneTerms()))
	got, err := p.readReply(ctx, "Type yes to start it: ", nil)
	switch {
	case err != nil:
		return err
	case got.command != commandAnswer || !strings.EqualFold(got.text, "yes"):
		p.printLine("Nothing was started.")
		return nil
	}
	if err := p.check(ctx, runs.Zone, runs.StartZone(p.events(runs.Zone))); err != nil {
		return err
	}
	switch failed := runs.Zone.CountFailed(); {
	case len(runs.Zone.Failures()) > 0:
	case !runs.Zone.IsKnown():
		p.printLine("The checks were stopped.")
	case failed == 0:
		p.printLine("All required services are reachable from inside the zone.")
	default:
		p.printLine("%s: required, but not reachable from inside the zone.", text.Plural(failed, "service"))
	}
	return nil
}
