package console

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"exoshift/wizard"
)

// askGroups asks whether there shall be more groups of machines, or fewer. A new one has fields of its own, which are
// asked next.
func (c *conversation) askGroups(ctx context.Context, q question) (said, error) {
	groups := c.talk.Answers.Spec.Sizing.ExtraGroups
	c.say("%s. %s %s so far.", q.field.Title, q.field.Help, capital(count(len(groups), "group")))
	choices := []wizard.Choice{{Value: "Go on"}, {Value: "Add a group"}}
	for _, group := range groups {
		choices = append(choices, wizard.Choice{Value: "Remove the group " + group.Name})
	}
	c.list(choices)
	for {
		got, err := c.ask(ctx, fmt.Sprintf("%s, a number from 1 to %d [1]: ", q.field.Title, len(choices)), about{c, q.field})
		if err != nil || got.way != answered && got.way != emptying && got.way != restoring {
			return got, err
		}
		switch i := picked(choices, got.text); {
		case got.text == "" || i == 0:
			return said{way: answered}, nil
		case i == 1:
			return c.addGroup(q.field), nil
		case i > 1:
			return c.removeGroup(q.field, i-2), nil
		}
		c.say("There is no %s to choose.", quoted(got.text))
	}
}

// addGroup adds a group like the workers and leads to its first question.
func (c *conversation) addGroup(field wizard.Field) said {
	spec := c.talk.Answers.Spec
	added := fmt.Sprintf("name=%s type=%s count=1 rootDisk=%d", c.freeName(), spec.Sizing.Workers.Type, spec.Sizing.Workers.RootDisk)
	n := len(spec.Sizing.ExtraGroups)
	if !c.setGroups(field, append(c.groupTexts(field), added)) {
		return said{way: answered}
	}
	return said{way: elsewhere, key: fmt.Sprintf("%s[%d].name", field.Key, n)}
}

func (c *conversation) freeName() string {
	for n := 1; ; n++ {
		name := fmt.Sprintf("group-%d", n)
		taken := false
		for _, group := range c.talk.Answers.Spec.Sizing.ExtraGroups {
			taken = taken || group.Name == name
		}
		if !taken {
			return name
		}
	}
}

func (c *conversation) removeGroup(field wizard.Field, i int) said {
	c.setGroups(field, slices.Delete(c.groupTexts(field), i, i+1))
	return said{way: elsewhere, key: field.Key}
}

func (c *conversation) setGroups(field wizard.Field, texts []string) bool {
	err := c.talk.Answers.Set(field.Key, strings.Join(texts, ","), wizard.Typed)
	if err != nil {
		c.refuse(field, err)
		return false
	}
	c.say("%s now.", capital(count(len(texts), "group")))
	c.save()
	return true
}

// groupTexts returns the groups as their field writes them.
func (c *conversation) groupTexts(field wizard.Field) []string {
	spec := c.talk.Answers.Spec
	texts := make([]string, len(spec.Sizing.ExtraGroups))
	for i := range texts {
		begin := fmt.Sprintf("%s[%d].", field.Key, i)
		var words []string
		for _, part := range field.Screen.Fields(spec) {
			if name, isOurs := strings.CutPrefix(part.Key, begin); isOurs {
				words = append(words, name+"="+part.Get(spec))
			}
		}
		texts[i] = strings.Join(words, " ")
	}
	return texts
}
