package console

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"exoshift/provisioner/destroy"
	"exoshift/wizard"
)

// handleReview accepts nothing but the word yes.
func (c *promptSession) handleReview(ctx context.Context) (navigation, error) {
	if faults := c.listAllProblems(); len(faults) > 0 {
		return c.handleProblems(ctx, review, faults)
	}
	plan, err := c.readPlan(ctx)
	switch {
	case ctx.Err() != nil:
		return navigation{}, context.Cause(ctx)
	case err != nil:
		c.printError("What an installation would do could not be read", err)
		return c.waitAt(ctx, review, "Press Enter to try again")
	}
	c.printPlan(plan)
	return c.confirmCreate(ctx, plan)
}

// readPlan plans the installation; Ctrl-C ends only that.
func (c *promptSession) readPlan(ctx context.Context) (wizard.Review, error) {
	if c.session.Review == nil {
		return wizard.Review{}, nil
	}
	c.printLine("Reading what is there already; nothing is changed.")
	reading, end := c.withInterrupt(ctx)
	defer end()
	secrets, _ := c.resolveSecrets()
	return c.session.Review(reading, c.session.Answers.Spec, secrets)
}

func (c *promptSession) confirmCreate(ctx context.Context, plan wizard.Review) (navigation, error) {
	question := "Type yes to create it; it costs money from then on: "
	if c.session.Rehearsal {
		question = "Type yes to begin the rehearsal; nothing real is touched: "
	}
	if c.session.CheckFromZone != nil {
		defer c.enableCommands(commandZone)()
	}
	for {
		got, err := c.readReply(ctx, question, planHelp{plan})
		switch {
		case err != nil:
			return navigation{}, err
		case got.command == commandAnswer && strings.EqualFold(got.text, "yes"):
			return navigation{command: commandAnswer, yes: true}, nil
		case got.command == commandQuit, got.command == commandBack:
			return navigation{command: got.command}, nil
		case got.command == commandZone:
			if err := c.checkFromZone(ctx); err != nil {
				return navigation{}, err
			}
		case got.command == commandGoTo:
			if next, ok := c.findStage(got.screen); ok {
				return next, nil
			}
		default:
			c.printLine("That was no yes, nothing was created. Type < to go back, :screen 1 to go to a screen, :quit to stop.")
		}
	}
}

type planHelp struct{ wizard.Review }

func (p planHelp) describe() []string {
	return []string{"Nothing was created so far. The word yes creates what was told; :list tells each object of it by name."}
}

func (p planHelp) listChoices() []string {
	lines := make([]string, len(p.Changes))
	for i, change := range p.Changes {
		lines[i] = joinNonEmpty(", ", joinNonEmpty(" ", describeAction(change.Action)+":", destroy.FormatKind(change.Kind), change.Name), change.Detail)
	}
	return lines
}

func describeAction(action string) string {
	words := map[string]string{"create": "to create", "update": "to change", "delete": "to delete", "found": "there already"}
	if word, known := words[action]; known {
		return word
	}
	return action
}

func (c *promptSession) printPlan(plan wizard.Review) {
	spec := c.session.Answers.Spec
	c.printLine("Cluster %s in %s: OpenShift %s at %s.", spec.Cluster.ID, spec.Exoscale.Zone, spec.OpenShift.Version, spec.Domain())
	for _, action := range []string{"create", "update", "delete", "found"} {
		c.printChanges(action, plan.Changes)
	}
	for _, quota := range plan.Quotas {
		c.printQuota(quota)
	}
	c.printCost(plan.Estimate)
	if plan.Minutes[1] > 0 {
		c.printLine("It usually takes %d to %d minutes.", plan.Minutes[0], plan.Minutes[1])
	}
	for _, human := range plan.Actions {
		c.printLine("You will be asked for this: %s", formatSentence(human))
	}
	c.printDiff(plan.Difference)
	clear(c.shownWarnings)
	for _, screen := range wizard.Screens() {
		c.printWarnings(screen)
	}
	if plan.Export != "" {
		c.printLine("The answers are in the file %s", plan.Export)
	} else if c.session.Export != nil {
		c.export()
	}
}

func (c *promptSession) printChanges(action string, changes []wizard.PlannedChange) {
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
		kinds[i] = formatCount(counts[kind], destroy.FormatKind(kind))
	}
	word := describeAction(action)
	c.printLine("%s: %s.", strings.ToUpper(word[:1])+word[1:], strings.Join(kinds, ", "))
}

func (c *promptSession) printQuota(q wizard.QuotaCheck) {
	limit, enough := fmt.Sprint(q.Limit), ""
	if q.Limit < 0 {
		limit = "any number"
	}
	if !q.Sufficient {
		enough = " This is not enough."
	}
	c.printLine("Quota of %s: %d more are needed, %d are in use, %s are allowed.%s", q.Resource, q.Need, q.Used, limit, enough)
}

func (c *promptSession) printCost(cost wizard.Estimate) {
	if cost.Hour == 0 && len(cost.Unknown) == 0 {
		return
	}
	c.printLine("It costs about %.2f an hour and %.0f a month, in CHF, EUR or USD, by the prices of %s.", cost.Hour, cost.Month, cost.Date)
	if len(cost.Unknown) > 0 {
		c.printLine("Not in it, as no price is known: %s.", strings.Join(cost.Unknown, ", "))
	}
}
