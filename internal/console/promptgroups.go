package console

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"exoshift/wizard"
)

// promptGroups asks whether to add or remove groups of machines. The fields of a new one are asked next.
func (c *promptSession) promptGroups(ctx context.Context, q question) (reply, error) {
	groups := c.session.Answers.Spec.Sizing.ExtraGroups
	c.printLine("%s. %s %s so far.", q.field.Title, q.field.Help, capitalize(formatCount(len(groups), "group")))
	choices := []wizard.Choice{{Value: "Go on"}, {Value: "Add a group"}}
	for _, group := range groups {
		choices = append(choices, wizard.Choice{Value: "Remove the group " + group.Name})
	}
	c.printChoices(choices)
	for {
		got, err := c.readReply(ctx, fmt.Sprintf("%s, a number from 1 to %d [1]: ", q.field.Title, len(choices)), fieldHelp{c, q.field})
		if err != nil || got.command != commandAnswer && got.command != commandEmpty && got.command != commandDefault {
			return got, err
		}
		switch i := findChoice(choices, got.text); {
		case got.text == "" || i == 0:
			return reply{command: commandAnswer}, nil
		case i == 1:
			return c.addGroup(q.field), nil
		case i > 1:
			return c.removeGroup(q.field, i-2), nil
		}
		c.printLine("There is no %s to choose.", quoteInput(got.text))
	}
}

func (c *promptSession) addGroup(field wizard.Field) reply {
	spec := c.session.Answers.Spec
	added := fmt.Sprintf("name=%s type=%s count=1 rootDisk=%d", c.findFreeName(), spec.Sizing.Workers.Type, spec.Sizing.Workers.RootDisk)
	n := len(spec.Sizing.ExtraGroups)
	if !c.setGroups(field, append(c.groupTexts(field), added)) {
		return reply{command: commandAnswer}
	}
	return reply{command: commandGoTo, key: fmt.Sprintf("%s[%d].name", field.Key, n)}
}

func (c *promptSession) findFreeName() string {
	for n := 1; ; n++ {
		name := fmt.Sprintf("group-%d", n)
		taken := false
		for _, group := range c.session.Answers.Spec.Sizing.ExtraGroups {
			taken = taken || group.Name == name
		}
		if !taken {
			return name
		}
	}
}

func (c *promptSession) removeGroup(field wizard.Field, i int) reply {
	c.setGroups(field, slices.Delete(c.groupTexts(field), i, i+1))
	return reply{command: commandGoTo, key: field.Key}
}

func (c *promptSession) setGroups(field wizard.Field, texts []string) bool {
	err := c.session.Answers.Set(field.Key, strings.Join(texts, ","), wizard.Typed)
	if err != nil {
		c.rejectAnswer(field, err)
		return false
	}
	c.printLine("%s now.", capitalize(formatCount(len(texts), "group")))
	c.save()
	return true
}

func (c *promptSession) groupTexts(field wizard.Field) []string {
	spec := c.session.Answers.Spec
	texts := make([]string, len(spec.Sizing.ExtraGroups))
	for i := range texts {
		begin := fmt.Sprintf("%s[%d].", field.Key, i)
		var words []string
		for _, part := range field.Screen.ListFields(spec) {
			if name, isOurs := strings.CutPrefix(part.Key, begin); isOurs {
				words = append(words, name+"="+part.Get(spec))
			}
		}
		texts[i] = strings.Join(words, " ")
	}
	return texts
}
