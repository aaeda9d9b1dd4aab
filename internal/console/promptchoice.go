package console

import (
	"fmt"
	"slices"
	"strings"

	"exoshift/wizard"
)

// fewChoices is how many choices are told unasked: nobody wants to hear sixty.
const fewChoices = 12

// choicesOf returns what there is to choose from: what the outside said, or else what the field offers or allows.
func (c *conversation) choicesOf(field wizard.Field) []wizard.Choice {
	for _, key := range []string{field.Key, alike(field.Key)} {
		for _, heard := range c.heard {
			if choices := heard.reply.Choices[key]; len(choices) > 0 {
				return choices
			}
		}
	}
	if strings.HasSuffix(field.Key, ".type") {
		return offers()
	}
	choices := slices.Clone(field.Offered)
	for _, choice := range field.Choices {
		choices = append(choices, wizard.Choice{Value: choice})
	}
	return choices
}

// offers are all instance types that are known.
func offers() []wizard.Choice {
	var choices []wizard.Choice
	for _, offer := range wizard.Offers() {
		choices = append(choices, wizard.Choice{Value: offer.Name, Note: fmt.Sprintf("%d CPUs, %g GiB", offer.CPUs, offer.Memory)})
	}
	return choices
}

// alike is the key of a role whose choices hold for an additional group, too.
func alike(key string) string {
	if strings.Contains(key, "[") {
		return "sizing.workers" + key[strings.LastIndex(key, "."):]
	}
	return key
}

// numberOf returns the place of a value among the choices, if these have numbers.
func (c *conversation) numberOf(field wizard.Field, offered value) int {
	choices := c.choicesOf(field)
	if len(choices) < 2 || len(choices) > fewChoices || offered.text == "" {
		return -1
	}
	for i, choice := range choices {
		if choice.Value == offered.text {
			return i
		}
	}
	return -1
}

// meantChoice returns the choice that a number, a name or a part of a name means. What is none of the choices is left
// to the field's own rules.
func (c *conversation) meantChoice(field wizard.Field, given value) (value, bool) {
	choices := c.choicesOf(field)
	if i := picked(choices, given.text); i >= 0 {
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
	c.say("Several are like that:")
	lines := numbered(choices)
	for _, i := range alike {
		c.say("%s", lines[i])
	}
	return given, false
}
