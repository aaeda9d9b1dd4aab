package console

import (
	"fmt"
	"slices"
	"strings"

	"exoshift/wizard"
)

// maxListedChoices limits lists that were not asked for: a screen reader reads all of them.
const maxListedChoices = 12

// listChoices returns the choices found by lookups, or else those of the field.
func (c *promptSession) listChoices(field wizard.Field) []wizard.Choice {
	for _, key := range []string{field.Key, resolveRoleKey(field.Key)} {
		for _, heard := range c.lookups {
			if choices := heard.result.Choices[key]; len(choices) > 0 {
				return choices
			}
		}
	}
	if strings.HasSuffix(field.Key, ".type") {
		return listInstanceTypes()
	}
	choices := slices.Clone(field.Offered)
	for _, choice := range field.Choices {
		choices = append(choices, wizard.Choice{Value: choice})
	}
	return choices
}

func listInstanceTypes() []wizard.Choice {
	var choices []wizard.Choice
	for _, offer := range wizard.ListInstanceTypes() {
		choices = append(choices, wizard.Choice{Value: offer.Name, Note: fmt.Sprintf("%d CPUs, %g GiB", offer.CPUs, offer.Memory)})
	}
	return choices
}

func resolveRoleKey(key string) string {
	if strings.Contains(key, "[") {
		return "sizing.workers" + key[strings.LastIndex(key, "."):]
	}
	return key
}

func (c *promptSession) findChoiceNumber(field wizard.Field, offered value) int {
	choices := c.listChoices(field)
	if len(choices) < 2 || len(choices) > maxListedChoices || offered.text == "" {
		return -1
	}
	for i, choice := range choices {
		if choice.Value == offered.text {
			return i
		}
	}
	return -1
}

// matchChoice returns the choice that a number, a name or a part of a name selects. Other values are left to the field's own
// validation.
func (c *promptSession) matchChoice(field wizard.Field, given value) (value, bool) {
	choices := c.listChoices(field)
	if i := findChoice(choices, given.text); i >= 0 {
		given.text = choices[i].Value
		return given, true
	}
	var alike []int
	for i, choice := range choices {
		if strings.Contains(strings.ToLower(choice.Value), strings.ToLower(given.text)) {
			alike = append(alike, i)
		}
	}
	switch len(alike) {
	case 0:
		return given, true
	case 1:
		given.text = choices[alike[0]].Value
		return given, true
	}
	c.printLine("Several are like that:")
	lines := formatNumbered(choices)
	for _, i := range alike {
		c.printLine("%s", lines[i])
	}
	return given, false
}
