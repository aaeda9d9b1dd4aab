package prompt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/console"
	"exoshift/internal/text"
	"exoshift/provisioner/destroy"
	"exoshift/wizard"
	"exoshift/wizard/session"
)

// reviewPrompt shows what an installation would do. It accepts nothing but the word yes.
type reviewPrompt struct{ *promptSession }

func (p reviewPrompt) run(ctx context.Context) (navigation, error) {
	if problems := session.ListBlocking(p.session); len(problems) > 0 {
		return p.handleProblems(ctx, session.ReviewPage, problems)
	}
	if p.session.Interview.Review != nil {
		p.printLine("Reading the existing objects; nothing is changed.")
	}
	run := p.session.Plan
	if err := p.wait(ctx, run.Start(nil)); err != nil {
		run.Stop()
	}
	failure, failed := run.Failure()
	switch {
	case ctx.Err() != nil:
		return navigation{}, context.Cause(ctx)
	case failed:
		checksPrompt(p).printStep(failure)
		return p.waitAt(ctx, session.ReviewPage, "Press Enter to retry")
	case !run.IsKnown():
		p.printLine("Reading the existing objects was stopped.")
		return p.waitAt(ctx, session.ReviewPage, "Press Enter to retry")
	}
	plan := run.Review()
	p.printPlan(plan)
	if blocker := run.Blocker(); blocker != "" {
		p.printLine("This cannot be created: %s", text.Sentence(blocker))
		return p.waitAt(ctx, session.ReviewPage, "Press Enter to retry")
	}
	return p.confirmCreate(ctx, plan)
}

func (p reviewPrompt) confirmCreate(ctx context.Context, plan wizard.Review) (navigation, error) {
	question := "Type yes to create these resources; they cost money from then on: "
	if p.session.Interview.Rehearsal {
		question = "Type yes to start the rehearsal; no real resources: "
	}
	if p.session.Interview.CheckFromZone != nil {
		defer p.enableCommands(commandZone)()
	}
	for {
		got, err := p.readReply(ctx, question, planHelp{plan})
		switch {
		case err != nil:
			return navigation{}, err
		case got.command == commandAnswer && strings.EqualFold(got.text, "yes"):
			return navigation{command: commandAnswer, yes: true}, nil
		case got.command == commandQuit, got.command == commandBack:
			return navigation{command: got.command}, nil
		case got.command == commandZone:
			if err := checksPrompt(p).checkFromZone(ctx); err != nil {
				return navigation{}, err
			}
		case got.command == commandGoTo:
			if next, ok := p.findStage(got.screen); ok {
				return next, nil
			}
		default:
			p.printLine("Nothing was created. Type yes to confirm, < to go back, :screen 1 to go to a screen, :quit to stop.")
		}
	}
}

type planHelp struct{ wizard.Review }

func (p planHelp) describe() []string {
	return []string{"Nothing is created yet. yes creates the resources of the plan; :list lists each object."}
}

func (p planHelp) listChoices() []string {
	lines := make([]string, len(p.Changes))
	for i, change := range p.Changes {
		lines[i] = text.Join(", ", text.Join(" ", describeAction(change.Action)+":", destroy.FormatKind(change.Kind), change.Name), change.Detail)
	}
	return lines
}

func describeAction(action string) string {
	switch action {
	case "create":
		return "to create"
	case "update":
		return "to change"
	case "delete":
		return "to delete"
	case "found":
		return "unchanged"
	}
	return action
}

func (p reviewPrompt) printPlan(plan wizard.Review) {
	spec := p.session.Spec()
	p.printLine("Cluster %s in %s: OpenShift %s at %s.", spec.Cluster.ID, spec.Exoscale.Zone, spec.OpenShift.Version, spec.Domain())
	for _, action := range []string{"create", "update", "delete", "found"} {
		p.printChanges(action, plan.Changes)
	}
	for _, quota := range plan.Quotas {
		p.printQuota(quota)
	}
	p.printCost(plan.Estimate)
	if plan.Minutes[1] > 0 {
		p.printLine("It usually takes %d to %d minutes.", plan.Minutes[0], plan.Minutes[1])
	}
	for _, human := range plan.Actions {
		p.printLine("Action needed during the installation: %s", text.Sentence(human))
	}
	p.printDiff(plan.Difference)
	clear(p.shownWarnings)
	for _, screen := range wizard.Screens() {
		p.printWarnings(screen)
	}
	for _, consequence := range spec.ListConsequences() {
		if consequence.Field == "" { // the others are warnings of their fields
			p.printLine("Note: %s", consequence.Text)
		}
	}
	if plan.Export != "" {
		p.printLine("The answers are in the file %s", plan.Export)
	} else if p.session.Interview.Export != nil {
		p.export()
	}
}

func (p reviewPrompt) printChanges(action string, changes []wizard.PlannedChange) {
	var kinds []string
	counts := map[string]int{}
	for _, change := range changes {
		if change.Action != action {
			continue
		}
		if !slices.Contains(kinds, change.Kind) {
			kinds = append(kinds, change.Kind)
		}
		counts[change.Kind]++
	}
	if len(kinds) == 0 {
		return
	}
	for i, kind := range kinds {
		kinds[i] = text.Plural(counts[kind], destroy.FormatKind(kind))
	}
	word := describeAction(action)
	p.printLine("%s: %s.", strings.ToUpper(word[:1])+word[1:], strings.Join(kinds, ", "))
}

func (p reviewPrompt) printQuota(q wizard.QuotaCheck) {
	limit, enough := fmt.Sprint(q.Limit), ""
	if q.Limit < 0 {
		limit = "any number"
	}
	if !q.Sufficient {
		enough = " The quota is too low."
	}
	p.printLine("Quota of %s: %d needed, %d in use, limit %s.%s", q.Resource, q.Need, q.Used, limit, enough)
}

// printDiff prints only the added and removed lines of the tenant's configuration, without context.
func (p reviewPrompt) printDiff(unified string) {
	if unified == "" {
		return
	}
	p.printLine("The cluster's file in the configuration of its tenant changes:")
	for line := range strings.Lines(unified) {
		switch text := console.SanitizeLine(strings.TrimSpace(line[1:])); {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), text == "":
		case line[0] == '+':
			p.printLine("Added: %s", text)
		case line[0] == '-':
			p.printLine("Removed: %s", text)
		}
	}
}
