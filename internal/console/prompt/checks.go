package prompt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/console"
	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/local"
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
	p.printLine("This looks at what an installation needs, and changes nothing.")
	all, err := p.check(ctx, p.session.Interview.Check)
	failed := all.countFailed()
	switch {
	case ctx.Err() != nil:
		return navigation{}, context.Cause(ctx)
	case errors.Is(err, context.Canceled):
		p.printLine("The checks were stopped.")
	case failed > 0:
		p.printLine("%s failed.", text.Plural(failed, "check"))
	case err != nil:
		p.printError("The checks could not be made", err)
	default:
		hint := ""
		if p.session.Interview.CheckFromZone != nil && !p.session.Interview.CheckOnly {
			hint = "At the next question, :zone looks from inside the zone, too."
		}
		p.printLine("%s", text.Join(" ", "All checks passed.", hint))
		return navigation{command: commandAnswer}, nil
	}
	return p.wait(ctx, all)
}

type checkRun func(ctx context.Context, spec state.Spec, secrets wizard.Secrets, tell func(wizard.CheckState)) error

// check runs checks and prints each change of each. Ctrl-C ends only the checks.
func (p checksPrompt) check(ctx context.Context, run checkRun) (checkStates, error) {
	spec, last := p.session.Spec(), checkStates{}
	var failure error
	err := p.dialog.wait(ctx, func(ctx context.Context, post func(func())) {
		secrets, _ := local.ResolveSecrets(spec, p.session.Interview.LookupEnv)
		err := run(ctx, spec, secrets, func(now wizard.CheckState) {
			post(func() {
				if last.update(now) {
					p.printCheck(now, last)
				}
			})
		})
		post(func() { failure = err })
	})
	if err != nil {
		return last, err
	}
	p.printEndpointCounts(last)
	return last, failure
}

// checkStates maps the ID and the source of a check to its state.
type checkStates map[[2]string]wizard.CheckState

func (s checkStates) update(now wizard.CheckState) bool {
	key := [2]string{now.ID, ""}
	if now.Reach != nil {
		key[1] = now.Reach.Result.Source
	}
	before, known := s[key]
	s[key] = now
	before.Reach, now.Reach = nil, nil
	return now.State != "" && (!known || before != now)
}

func (s checkStates) hasEndpoints() bool {
	for _, state := range s {
		if state.Reach != nil {
			return true
		}
	}
	return false
}

// countFailed counts connectivity checks only if the step that runs them all is missing, as that fails with them.
func (s checkStates) countFailed() int {
	steps, services := 0, 0
	for _, state := range s {
		switch {
		case state.State != provisioner.Failed:
		case state.Reach != nil:
			services++
		default:
			steps++
		}
	}
	if steps > 0 {
		return steps
	}
	return services
}

func (s checkStates) listCauses() []reach.Cause {
	var report reach.Report
	for _, state := range s {
		if state.Reach != nil {
			report.Results = append(report.Results, state.Reach.Result)
		}
	}
	slices.SortFunc(report.Results, func(a, b reach.Result) int { return strings.Compare(a.ID, b.ID) })
	return reach.CommonCauses(report)
}

func (p checksPrompt) printCheck(now wizard.CheckState, all checkStates) {
	if now.Reach != nil {
		p.printEndpoint(now, all)
		return
	}
	states := map[string]string{
		provisioner.Started: "checking", provisioner.Done: "ok", provisioner.Failed: "failed", provisioner.Skipped: "skipped",
	}
	p.printLine("%s", text.Sentence(fmt.Sprintf("%s: %s", now.Title, text.Join(", ", states[now.State], now.Text))))
	if now.State != provisioner.Failed {
		return
	}
	if now.Hint != "" {
		for line := range strings.Lines("What to do: " + now.Hint) {
			if line = console.SanitizeLine(line); line != "" {
				p.printLine("%s", line)
			}
		}
	}
	if field, found := session.FindAsked(now.Field, p.session.Spec()); found {
		stage := slices.Index(p.listStages(), field.Screen) + 1
		p.printLine("The answer to change: %s. Type :screen %d to go there.", field.Title, stage)
	}
}

// printEndpoint prints checks that are not OK; with the fix only while they have no common cause.
func (p checksPrompt) printEndpoint(now wizard.CheckState, all checkStates) {
	r := now.Reach.Result
	name := text.Join(", ", now.Title, r.ID, r.Target)
	switch {
	case r.Verdict == reach.Fail || r.Verdict == reach.Warn:
		word := map[reach.Verdict]string{reach.Fail: "failed", reach.Warn: "warning"}[r.Verdict]
		p.printLine("%s", text.Sentence(fmt.Sprintf("%s: %s, seen from %s: %s", name, word, describeSource(r.Source), r.Describe())))
		explained := slices.ContainsFunc(all.listCauses(), func(c reach.Cause) bool { return c.Explains(r) })
		if r.Hint != "" && !explained {
			p.printLine("What to do: %s", text.Sentence(r.Hint))
		}
	case r.Verdict == reach.Skipped && r.IsManualSkip():
		p.printLine("%s", text.Sentence(name+": "+r.Describe()))
	}
	if ended := r.Evidence[reach.EvidenceExpiredSkip]; ended != "" {
		p.printLine("%s", text.Sentence(name+": this skip has ended: "+ended))
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

func (p checksPrompt) printEndpointCounts(all checkStates) {
	counts := map[string]*text.Counts{}
	var vantages []string
	for _, state := range all {
		if state.Reach == nil || state.Reach.Result.Verdict == "" {
			continue
		}
		r := state.Reach.Result
		if counts[r.Source] == nil {
			vantages = append(vantages, r.Source)
			usual := text.NewCounts("reached", "with a warning", "not reached", "not checked")
			counts[r.Source] = usual
		}
		counts[r.Source].Add(map[reach.Verdict]string{
			reach.OK: "reached", reach.Warn: "with a warning", reach.Fail: "not reached", reach.Skipped: "not checked",
		}[r.Verdict])
	}
	slices.Sort(vantages)
	for _, vantage := range vantages {
		p.printLine("Services, seen from %s: %s.", describeSource(vantage), counts[vantage].String())
	}
	for _, cause := range all.listCauses() {
		p.printLine("%s", text.Sentence("The "+cause.String()))
		p.printLine("What to do: %s", text.Sentence(cause.Hint))
	}
}

// wait waits for what to do about checks that failed.
func (p checksPrompt) wait(ctx context.Context, all checkStates) (navigation, error) {
	var more []command
	if all.hasEndpoints() {
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
		p.printLine("Say which check and why, as in: :skip NET-RH-001 the firewall is being changed until 2027-01-31")
		return
	}
	if err := session.SkipCheck(p.session, id, reason); err != nil {
		fieldPrompt{p.promptSession, wizard.Field{Key: session.SkipKey, Title: "Left out"}}.rejectAnswer(err)
		return
	}
	p.keep(ctx)
	p.printLine("%s", text.Sentence("The answers leave "+id+" out: "+reason))
}

// checkFromZone asks for confirmation of the costs first.
func (p checksPrompt) checkFromZone(ctx context.Context) error {
	interview := p.session.Interview
	if interview.ZoneTerms != nil {
		p.printLine("%s", text.Sentence(interview.ZoneTerms(p.session.Spec())))
	}
	got, err := p.readReply(ctx, "Type yes to start it: ", nil)
	switch {
	case err != nil:
		return err
	case got.command != commandAnswer || !strings.EqualFold(got.text, "yes"):
		p.printLine("That was no yes, nothing was started.")
		return nil
	}
	all, err := p.check(ctx, interview.CheckFromZone)
	failed := all.countFailed()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, context.Canceled):
		p.printLine("The checks were stopped.")
	case err != nil:
		p.printError("The checks from inside the zone could not be made", err)
	case failed == 0:
		p.printLine("All that has to be reached from inside the zone is reached.")
	default:
		p.printLine("%s cannot be reached from inside the zone, and has to be.", text.Plural(failed, "service"))
	}
	return nil
}
