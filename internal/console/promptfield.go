package console

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"exoshift/wizard"
)

type value struct{ text, origin string }

// promptField repeats the question until the answer is valid.
func (c *promptSession) promptField(ctx context.Context, q question) (reply, error) {
	c.printIntro(q.field)
	offered := c.resolveDefault(q.field)
	for {
		got, err := c.readReply(ctx, c.formatPrompt(q.field, offered), fieldHelp{c, q.field})
		if err != nil || got.command != commandAnswer && got.command != commandEmpty && got.command != commandDefault {
			return got, err
		}
		given, ok := c.parseAnswer(q.field, got, offered)
		if !ok {
			continue
		}
		refusal := c.setAnswer(q.field, given)
		if refusal == nil {
			c.printAnswer(q.field, got.text)
			return reply{command: commandAnswer, text: got.text}, nil
		}
		if better := c.rejectAnswer(q.field, refusal); better != "" {
			offered = value{text: better, origin: suggested}
		}
	}
}

func (c *promptSession) printIntro(field wizard.Field) {
	c.printField(field)
	if choices := c.listChoices(field); len(choices) <= maxListedChoices {
		c.printChoices(choices)
	}
}

func (c *promptSession) printField(field wizard.Field) {
	c.printLine("%s. %s", strings.TrimSuffix(field.Title, "."), field.Help)
	for _, f := range c.session.ListUnused(c.session.Answers.Spec) {
		if f.Field == field.Key {
			c.printLine("Warning: %s", formatProblem(field.Title, f))
		}
	}
}

// suggested is the origin of a default that is not the current answer.
const suggested = "suggested"

// resolveDefault returns the value of an empty line: the current answer, or else a suggestion.
func (c *promptSession) resolveDefault(field wizard.Field) value {
	spec := c.session.Answers.Spec
	now := value{text: field.Get(spec), origin: c.session.Answers.Origin(field.Key)}
	if better := c.suggestions[field.Key]; better != "" {
		delete(c.suggestions, field.Key)
		return value{text: better, origin: suggested}
	}
	if better := field.Suggestion(spec); now.text == "" && better != "" && now.origin == wizard.ByDefault {
		return value{text: better, origin: suggested}
	}
	return now
}

func (c *promptSession) formatPrompt(field wizard.Field, offered value) string {
	return strings.TrimSuffix(field.Title, ".") + c.formatInputHint(field) + formatDefault(field, c.findChoiceNumber(field, offered), offered) + ": "
}

func (c *promptSession) formatInputHint(field wizard.Field) string {
	choices := c.listChoices(field)
	switch {
	case field.Shape() == wizard.Switch:
		return ", yes or no"
	case len(choices) > maxListedChoices:
		return ", a name or a part of one"
	case len(choices) > 1:
		return fmt.Sprintf(", a number from 1 to %d", len(choices))
	case field.Shape() == wizard.List, field.Shape() == wizard.Table:
		return ", several with commas between them"
	}
	return ""
}

// formatDefault shows the default and its origin; number is its number among the choices.
func formatDefault(field wizard.Field, number int, offered value) string {
	text := formatValue(field, offered.text)
	switch {
	case text == "" && field.Required:
		return ", for example " + field.Example
	case text == "":
		return " [empty]"
	case number >= 0:
		text = fmt.Sprintf("%d, %s", number+1, text)
	}
	return fmt.Sprintf(" [%s, %s]", text, describeOrigin(offered.origin))
}

func formatValue(field wizard.Field, text string) string {
	switch {
	case field.Shape() != wizard.Switch:
		return truncateMiddle(text)
	case text == "true":
		return "yes"
	}
	return "no"
}

func describeOrigin(origin string) string {
	switch {
	case origin == wizard.Typed:
		return "your answer"
	case origin == wizard.ByDefault, origin == suggested, strings.Contains(origin, " "):
		return origin
	}
	return "from " + origin // a file, a variable or a flag
}

// parseAnswer returns false for invalid input, after printing the problem.
func (c *promptSession) parseAnswer(field wizard.Field, got reply, offered value) (given value, ok bool) {
	given = value{text: got.text, origin: wizard.Typed}
	switch {
	case got.command == commandDefault && strings.Contains(field.Key, "["): // all groups have one origin
		given.text = field.Default()
		return given, true
	case got.command == commandDefault:
		return value{text: field.Default(), origin: wizard.ByDefault}, true
	case got.command == commandEmpty:
		given.text = ""
		return given, true
	case got.text == "" && offered.origin == suggested:
		return value{text: offered.text, origin: wizard.Typed}, true
	case got.text == "":
		return offered, true
	case field.Shape() == wizard.Switch:
		yes, known := parseYesNo(got.text)
		if !known {
			c.printLine("Type yes or no.")
		}
		return value{text: fmt.Sprint(yes), origin: wizard.Typed}, known
	}
	return c.matchChoice(field, given)
}

// printAnswer prints the answer unless it was typed literally or shown as the default.
func (c *promptSession) printAnswer(field wizard.Field, typed string) {
	now := field.Get(c.session.Answers.Spec)
	if words := formatAnswer(field, now); typed != "" && typed != now && typed != words {
		c.printLine("%s: %s.", field.Title, words)
	}
}

func (c *promptSession) setAnswer(field wizard.Field, given value) error {
	answers := c.session.Answers
	if given.origin == wizard.ByDefault {
		return c.setDefault(field, given)
	}
	if err := answers.Set(field.Key, given.text, given.origin); err != nil {
		return err
	}
	c.save()
	return nil
}

// setDefault keeps the current default if it is valid, or clears an answer.
func (c *promptSession) setDefault(field wizard.Field, given value) error {
	if err := c.session.Answers.Copy().Set(field.Key, given.text, given.origin); err != nil {
		return err
	}
	if c.session.Answers.Origin(field.Key) == wizard.ByDefault {
		return nil
	}
	if err := c.session.Answers.Clear(field.Key); err != nil {
		return err
	}
	c.save()
	return nil
}

func formatAnswer(field wizard.Field, text string) string {
	if text == "" {
		return "empty"
	}
	return formatValue(field, text)
}

// rejectAnswer prints why an answer is invalid, and returns a likely correction.
func (c *promptSession) rejectAnswer(field wizard.Field, err error) (better string) {
	for _, one := range splitErrors(err) {
		var f wizard.Problem
		if !errors.As(one, &f) {
			c.printError(field.Title, one)
			continue
		}
		c.printLine("%s", formatProblem(field.Title, f))
		if key, text := f.FindFix(); key == field.Key && better == "" {
			better = text
		}
	}
	return better
}

func splitErrors(err error) []error {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		return several.Unwrap()
	}
	return []error{err}
}

// save reports an error once; the next answer retries.
func (c *promptSession) save() {
	if c.session.Save == nil {
		return
	}
	err := c.session.Save(c.session.Answers)
	if err != nil && !c.unsaved {
		c.printError("Warning: the answers could not be kept", err)
	}
	if err == nil && c.unsaved {
		c.printLine("The answers are kept again.")
	}
	c.unsaved = err != nil
}
