package console

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"exoshift/wizard"
)

// value is an answer as it is to be kept.
type value struct{ text, origin string }

// askField asks for the value of a field until it is given one that may stand there.
func (c *conversation) askField(ctx context.Context, q question) (said, error) {
	c.introduce(q.field)
	offered := c.offered(q.field)
	for {
		got, err := c.ask(ctx, c.promptOf(q.field, offered), about{c, q.field})
		if err != nil || got.way != answered && got.way != emptying && got.way != restoring {
			return got, err
		}
		given, ok := c.meant(q.field, got, offered)
		if !ok {
			continue
		}
		refusal := c.give(q.field, given)
		if refusal == nil {
			c.confirm(q.field, got.text)
			return said{way: answered, text: got.text}, nil
		}
		if better := c.refuse(q.field, refusal); better != "" {
			offered = value{text: better, origin: suggested}
		}
	}
}

// introduce says what a field is, and what there is to choose from if that is not much.
func (c *conversation) introduce(field wizard.Field) {
	c.describe(field)
	if choices := c.choicesOf(field); len(choices) <= fewChoices {
		c.list(choices)
	}
}

// describe says what a field is, and what was found and cannot be its answer.
func (c *conversation) describe(field wizard.Field) {
	c.say("%s. %s", strings.TrimSuffix(field.Title, "."), field.Help)
	for _, f := range c.talk.Unused(c.talk.Answers.Spec) {
		if f.Field == field.Key {
			c.say("Warning: %s", faultSentence(field.Title, f))
		}
	}
}

// suggested is the origin of what Enter stands for where it is not the answer so far.
const suggested = "suggested"

// offered is what Enter alone stands for: the answer so far, or else what is suggested.
func (c *conversation) offered(field wizard.Field) value {
	spec := c.talk.Answers.Spec
	now := value{text: field.Get(spec), origin: c.talk.Answers.Origin(field.Key)}
	if better := c.better[field.Key]; better != "" {
		delete(c.better, field.Key)
		return value{text: better, origin: suggested}
	}
	if better := field.Suggestion(spec); now.text == "" && better != "" && now.origin == wizard.ByDefault {
		return value{text: better, origin: suggested}
	}
	return now
}

// promptOf is the line on which the answer is typed.
func (c *conversation) promptOf(field wizard.Field, offered value) string {
	return strings.TrimSuffix(field.Title, ".") + c.manner(field) + bracketed(field, c.numberOf(field, offered), offered) + ": "
}

// manner says how the answer is to be given, where that is not plain.
func (c *conversation) manner(field wizard.Field) string {
	choices := c.choicesOf(field)
	switch {
	case field.Shape() == wizard.Switch:
		return ", yes or no"
	case len(choices) > fewChoices:
		return ", a name or a part of one"
	case len(choices) > 1:
		return fmt.Sprintf(", a number from 1 to %d", len(choices))
	case field.Shape() == wizard.List, field.Shape() == wizard.Table:
		return ", several with commas between them"
	}
	return ""
}

// bracketed shows what Enter stands for and where it came from; number is its place among the choices.
func bracketed(field wizard.Field, number int, offered value) string {
	text := shown(field, offered.text)
	switch {
	case text == "" && field.Required:
		return ", for example " + field.Example
	case text == "":
		return " [empty]"
	case number >= 0:
		text = fmt.Sprintf("%d, %s", number+1, text)
	}
	return fmt.Sprintf(" [%s, %s]", text, originWords(offered.origin))
}

// shown is a value as it is told.
func shown(field wizard.Field, text string) string {
	switch {
	case field.Shape() != wizard.Switch:
		return abridged(text)
	case text == "true":
		return "yes"
	}
	return "no"
}

func originWords(origin string) string {
	switch {
	case origin == wizard.Typed:
		return "your answer"
	case origin == wizard.ByDefault, origin == suggested, strings.Contains(origin, " "):
		return origin
	}
	return "from " + origin // a file, a variable or a flag
}

// meant returns the value that was typed, or false if it was no answer and that was told.
func (c *conversation) meant(field wizard.Field, got said, offered value) (given value, ok bool) {
	given = value{text: got.text, origin: wizard.Typed}
	switch {
	case got.way == restoring && strings.Contains(field.Key, "["): // all groups have one origin
		given.text = field.Default()
		return given, true
	case got.way == restoring:
		return value{text: field.Default(), origin: wizard.ByDefault}, true
	case got.way == emptying:
		given.text = ""
		return given, true
	case got.text == "" && offered.origin == suggested:
		return value{text: offered.text, origin: wizard.Typed}, true
	case got.text == "":
		return offered, true
	case field.Shape() == wizard.Switch:
		yes, known := yesOrNo(got.text)
		if !known {
			c.say("Type yes or no.")
		}
		return value{text: fmt.Sprint(yes), origin: wizard.Typed}, known
	}
	return c.meantChoice(field, given)
}

// confirm tells the answer if it is not just what was typed, or read in brackets.
func (c *conversation) confirm(field wizard.Field, typed string) {
	now := field.Get(c.talk.Answers.Spec)
	if words := told(field, now); typed != "" && typed != now && typed != words {
		c.say("%s: %s.", field.Title, words)
	}
}

// give keeps an answer.
func (c *conversation) give(field wizard.Field, given value) error {
	answers := c.talk.Answers
	if given.origin == wizard.ByDefault {
		return c.giveDefault(field, given)
	}
	if err := answers.Set(field.Key, given.text, given.origin); err != nil {
		return err
	}
	c.save()
	return nil
}

// giveDefault leaves a default as it is if it may stand there, or takes an answer back.
func (c *conversation) giveDefault(field wizard.Field, given value) error {
	if err := c.talk.Answers.Copy().Set(field.Key, given.text, given.origin); err != nil {
		return err
	}
	if c.talk.Answers.Origin(field.Key) == wizard.ByDefault {
		return nil
	}
	if err := c.talk.Answers.Clear(field.Key); err != nil {
		return err
	}
	c.save()
	return nil
}

func told(field wizard.Field, text string) string {
	if text == "" {
		return "empty"
	}
	return shown(field, text)
}

// refuse tells why an answer cannot stand, and returns what was probably meant.
func (c *conversation) refuse(field wizard.Field, err error) (better string) {
	for _, one := range unjoined(err) {
		var f wizard.Fault
		if !errors.As(one, &f) {
			c.sayError(field.Title, one)
			continue
		}
		c.say("%s", faultSentence(field.Title, f))
		if key, text := f.Remedy(); key == field.Key && better == "" {
			better = text
		}
	}
	return better
}

// unjoined returns the errors that were joined.
func unjoined(err error) []error {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		return several.Unwrap()
	}
	return []error{err}
}

// save keeps the answers in the draft. That it cannot is told once; the next answer tries again.
func (c *conversation) save() {
	if c.talk.Save == nil {
		return
	}
	err := c.talk.Save(c.talk.Answers)
	if err != nil && !c.unsaved {
		c.sayError("Warning: the answers could not be kept", err)
	}
	if err == nil && c.unsaved {
		c.say("The answers are kept again.")
	}
	c.unsaved = err != nil
}
