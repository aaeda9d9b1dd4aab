package console

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"exoshift/provisioner/destroy"
	"exoshift/wizard"
)

// review tells what an installation would do and asks for a yes. Nothing but the word yes is one.
func (c *conversation) review(ctx context.Context) (turn, error) {
	if faults := c.allFaults(); len(faults) > 0 {
		return c.mend(ctx, review, faults)
	}
	plan, err := c.readPlan(ctx)
	switch {
	case ctx.Err() != nil:
		return turn{}, context.Cause(ctx)
	case err != nil:
		c.sayError("What an installation would do could not be read", err)
		return c.pauseAt(ctx, review, "Press Enter to try again")
	}
	c.tellPlan(plan)
	return c.askYes(ctx, plan)
}

// readPlan asks what an installation would do; Ctrl-C ends that alone.
func (c *conversation) readPlan(ctx context.Context) (wizard.Review, error) {
	if c.talk.Review == nil {
		return wizard.Review{}, nil
	}
	c.say("Reading what is there already; nothing is changed.")
	reading, end := c.interruptible(ctx)
	defer end()
	secrets, _ := c.secrets()
	return c.talk.Review(reading, c.talk.Answers.Spec, secrets)
}

// askYes asks whether to do what was told.
func (c *conversation) askYes(ctx context.Context, plan wizard.Review) (turn, error) {
	question := "Type yes to create it; it costs money from then on: "
	if c.talk.Rehearsal {
		question = "Type yes to begin the rehearsal; nothing real is touched: "
	}
	if c.talk.CheckFromZone != nil {
		defer c.offer(fromZone)()
	}
	for {
		got, err := c.ask(ctx, question, planned{plan})
		switch {
		case err != nil:
			return turn{}, err
		case got.way == answered && strings.EqualFold(got.text, "yes"):
			return turn{way: answered, yes: true}, nil
		case got.way == leaving, got.way == backward:
			return turn{way: got.way}, nil
		case got.way == fromZone:
			if err := c.checkFromZone(ctx); err != nil {
				return turn{}, err
			}
		case got.way == elsewhere:
			if next, ok := c.numberedStage(got.screen); ok {
				return next, nil
			}
		default:
			c.say("That was no yes, nothing was created. Type < to go back, :screen 1 to go to a screen, :quit to stop.")
		}
	}
}

// planned explains a plan.
type planned struct{ wizard.Review }

func (p planned) explain() []string {
	return []string{"Nothing was created so far. The word yes creates what was told; :list tells each object of it by name."}
}

func (p planned) choices() []string {
	lines := make([]string, len(p.Changes))
	for i, change := range p.Changes {
		lines[i] = parts(", ", parts(" ", actionWords(change.Action)+":", destroy.Noun(change.Kind), change.Name), change.Detail)
	}
	return lines
}

func actionWords(action string) string {
	words := map[string]string{"create": "to create", "update": "to change", "delete": "to delete", "found": "there already"}
	if word, known := words[action]; known {
		return word
	}
	return action
}

// tellPlan tells a plan in sentences.
func (c *conversation) tellPlan(plan wizard.Review) {
	spec := c.talk.Answers.Spec
	c.say("Cluster %s in %s: OpenShift %s at %s.", spec.Cluster.ID, spec.Exoscale.Zone, spec.OpenShift.Version, spec.Domain())
	for _, action := range []string{"create", "update", "delete", "found"} {
		c.tellChanges(action, plan.Changes)
	}
	for _, quota := range plan.Quotas {
		c.tellQuota(quota)
	}
	c.tellCost(plan.Estimate)
	if plan.Minutes[1] > 0 {
		c.say("It usually takes %d to %d minutes.", plan.Minutes[0], plan.Minutes[1])
	}
	for _, human := range plan.Human {
		c.say("You will be asked for this: %s", sentence(human))
	}
	c.tellDifference(plan.Difference)
	clear(c.told)
	for _, screen := range wizard.Screens() {
		c.warn(screen)
	}
	if plan.Export != "" {
		c.say("The answers are in the file %s", plan.Export)
	} else if c.talk.Export != nil {
		c.export()
	}
}

// tellChanges counts what happens in one way, by kind.
func (c *conversation) tellChanges(action string, changes []wizard.Planned) {
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
		kinds[i] = count(counts[kind], destroy.Noun(kind))
	}
	word := actionWords(action)
	c.say("%s: %s.", strings.ToUpper(word[:1])+word[1:], strings.Join(kinds, ", "))
}

func (c *conversation) tellQuota(q wizard.QuotaNeed) {
	limit, enough := fmt.Sprint(q.Limit), ""
	if q.Limit < 0 {
		limit = "any number"
	}
	if !q.Sufficient {
		enough = " This is not enough."
	}
	c.say("Quota of %s: %d more are needed, %d are in use, %s are allowed.%s", q.Resource, q.Need, q.Used, limit, enough)
}

func (c *conversation) tellCost(cost wizard.Estimate) {
	if cost.Hour == 0 && len(cost.Unknown) == 0 {
		return
	}
	c.say("It costs about %.2f an hour and %.0f a month, in CHF, EUR or USD, by the prices of %s.", cost.Hour, cost.Month, cost.Date)
	if len(cost.Unknown) > 0 {
		c.say("Not in it, as no price is known: %s.", strings.Join(cost.Unknown, ", "))
	}
}
