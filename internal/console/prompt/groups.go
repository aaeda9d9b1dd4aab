package prompt

import (
	"context"
	"fmt"

	"exoshift/internal/text"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/session"
)

// groupPrompt asks whether to add or remove groups of machines. The fields of a new one are asked next.
type groupPrompt struct{ fieldPrompt }

func (p groupPrompt) run(ctx context.Context) (reply, error) {
	groups := p.session.Spec().Sizing.ExtraGroups
	p.printLine("%s. %s %s so far.", p.field.Title, p.field.Help, text.Capitalize(text.Plural(len(groups), "group")))
	choices := []wizard.Choice{{Value: "Continue"}, {Value: "Add a group"}}
	for _, group := range groups {
		choices = append(choices, wizard.Choice{Value: "Remove the group " + group.Name})
	}
	p.printChoices(choices)
	for {
		got, err := p.readReply(ctx, fmt.Sprintf("%s, a number from 1 to %d [1]: ", p.field.Title, len(choices)), p)
		if err != nil || !got.isAnswer() {
			return got, err
		}
		switch i := findChoice(choices, got.text); {
		case got.text == "" || i == 0:
			return reply{command: commandAnswer}, nil
		case i == 1:
			return p.add(ctx), nil
		case i > 1:
			session.RemoveGroup(p.session, i-2)
			p.finish(ctx)
			return reply{command: commandGoTo, key: p.field.Key}, nil
		}
		p.printLine("%s is not one of the choices.", quoteInput(got.text))
	}
}

func (p groupPrompt) add(ctx context.Context) reply {
	group := session.NewGroup(p.session.Spec())
	group.Name = findFreeName(p.session.Spec().Sizing.ExtraGroups)
	key, err := session.AddGroup(p.session, group)
	if err != nil {
		p.rejectAnswer(err)
		return reply{command: commandAnswer}
	}
	p.finish(ctx)
	return reply{command: commandGoTo, key: key + ".name"}
}

func (p groupPrompt) finish(ctx context.Context) {
	p.printLine("%s now.", text.Capitalize(text.Plural(len(p.session.Spec().Sizing.ExtraGroups), "group")))
	p.keep(ctx)
}

func findFreeName(groups []state.GroupSpec) string {
	taken := map[string]bool{}
	for _, group := range groups {
		taken[group.Name] = true
	}
	n := 1
	for taken[fmt.Sprintf("group-%d", n)] {
		n++
	}
	return fmt.Sprintf("group-%d", n)
}
