package prompt

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"exoshift/internal/text"
	"exoshift/wizard"
	"exoshift/wizard/session"
)

// maxListedChoices limits lists that were not asked for: a screen reader reads all of them.
const maxListedChoices = 12

// fieldPrompt asks for one field.
type fieldPrompt struct {
	*promptSession
	field wizard.Field
}

type value struct{ text, origin string }

// run repeats the question until the answer is valid.
func (p fieldPrompt) run(ctx context.Context) (reply, error) {
	p.printIntro()
	if choices := p.session.Lookups.Choices(p.field); len(choices) <= maxListedChoices {
		p.printChoices(choices)
	}
	offered := p.resolveDefault()
	for {
		got, err := p.readReply(ctx, p.formatPrompt(offered), p)
		if err != nil || !got.isAnswer() {
			return got, err
		}
		given, ok := p.parseAnswer(got, offered)
		if !ok {
			continue
		}
		refusal := p.setAnswer(ctx, given)
		if refusal == nil {
			p.printAnswer(got.text)
			return reply{command: commandAnswer, text: got.text}, nil
		}
		if better := p.rejectAnswer(refusal); better != "" {
			offered = value{text: better, origin: session.Suggested}
		}
	}
}

func (p fieldPrompt) printIntro() {
	p.printLine("%s. %s", strings.TrimSuffix(p.field.Title, "."), p.field.Help)
	for _, problem := range p.session.Interview.ListUnused(p.session.Spec()) {
		if problem.Field == p.field.Key {
			p.printWarning(p.field.Title, problem)
		}
	}
}

// resolveDefault returns the value of an empty line: the current answer, or else a suggestion.
func (p fieldPrompt) resolveDefault() value {
	spec := p.session.Spec()
	now := value{text: p.field.Get(spec), origin: p.session.Answers().Origin(p.field.Key)}
	if better := p.suggestions[p.field.Key]; better != "" {
		delete(p.suggestions, p.field.Key)
		return value{text: better, origin: session.Suggested}
	}
	if better := p.field.Suggestion(spec); now.text == "" && better != "" && now.origin == wizard.ByDefault {
		return value{text: better, origin: session.Suggested}
	}
	return now
}

func (p fieldPrompt) formatPrompt(offered value) string {
	return strings.TrimSuffix(p.field.Title, ".") + p.formatInputHint() + p.formatDefault(offered) + ": "
}

func (p fieldPrompt) formatInputHint() string {
	choices := p.session.Lookups.Choices(p.field)
	switch {
	case p.field.Shape() == wizard.Switch:
		return ", yes or no"
	case len(choices) > maxListedChoices:
		return ", a name or a part of one"
	case len(choices) > 1:
		return fmt.Sprintf(", a number from 1 to %d", len(choices))
	case p.field.Shape() == wizard.List, p.field.Shape() == wizard.Table:
		return ", several with commas between them"
	}
	return ""
}

// formatDefault shows the default with its number among the choices and its origin.
func (p fieldPrompt) formatDefault(offered value) string {
	text := formatValue(p.field, offered.text)
	switch {
	case text == "" && p.field.Required:
		return ", for example " + p.field.Example
	case text == "":
		return " [empty]"
	}
	if choices := p.session.Lookups.Choices(p.field); len(choices) > 1 && len(choices) <= maxListedChoices && offered.text != "" {
		for i, choice := range choices {
			if choice.Value == offered.text {
				text = fmt.Sprintf("%d, %s", i+1, text)
				break
			}
		}
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

func formatAnswer(field wizard.Field, text string) string {
	if text == "" {
		return "empty"
	}
	return formatValue(field, text)
}

func describeOrigin(origin string) string {
	switch {
	case origin == wizard.Typed:
		return "your answer"
	case origin == wizard.ByDefault, origin == session.Suggested, strings.Contains(origin, " "):
		return origin
	}
	return "from " + origin // a file, a variable or a flag
}

// parseAnswer returns false for invalid input, after printing the problem.
func (p fieldPrompt) parseAnswer(got reply, offered value) (given value, ok bool) {
	given = value{text: got.text, origin: wizard.Typed}
	switch {
	case got.command == commandDefault && strings.Contains(p.field.Key, "["): // all groups have one origin
		given.text = p.field.Default()
		return given, true
	case got.command == commandDefault:
		return value{text: p.field.Default(), origin: wizard.ByDefault}, true
	case got.command == commandEmpty:
		given.text = ""
		return given, true
	case got.text == "" && offered.origin == session.Suggested:
		return value{text: offered.text, origin: wizard.Typed}, true
	case got.text == "":
		return offered, true
	case p.field.Shape() == wizard.Switch:
		yes, known := parseYesNo(got.text)
		if !known {
			p.printLine("Type yes or no.")
		}
		return value{text: fmt.Sprint(yes), origin: wizard.Typed}, known
	}
	return p.matchChoice(given)
}

// matchChoice returns the choice that a number, a name or a part of a name selects. Other values are left to the field's own
// validation.
func (p fieldPrompt) matchChoice(given value) (value, bool) {
	choices := p.session.Lookups.Choices(p.field)
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
	p.printLine("Several choices match:")
	lines := formatNumbered(choices)
	for _, i := range alike {
		p.printLine("%s", lines[i])
	}
	return given, false
}

// setAnswer stores an answer and saves it, or changes nothing and returns what is wrong with it.
func (p fieldPrompt) setAnswer(ctx context.Context, given value) error {
	key := p.field.Key
	if err := p.session.Answers().Copy().Set(key, given.text, given.origin); err != nil {
		return err
	}
	var err error
	switch {
	case given.origin != wizard.ByDefault:
		err = p.session.SetFrom(key, given.text, given.origin)
	case p.session.Answers().Origin(key) == wizard.ByDefault:
		return nil // the default stays one
	default:
		err = p.session.Clear(key)
	}
	if err == nil {
		p.keep(ctx)
	}
	return err
}

// printAnswer prints the answer unless it was typed literally or shown as the default.
func (p fieldPrompt) printAnswer(typed string) {
	now := p.field.Get(p.session.Spec())
	if words := formatAnswer(p.field, now); typed != "" && typed != now && typed != words {
		p.printLine("%s: %s.", p.field.Title, words)
	}
}

// rejectAnswer prints why an answer is invalid, and returns a likely correction.
func (p fieldPrompt) rejectAnswer(err error) (better string) {
	for _, one := range splitErrors(err) {
		var problem wizard.Problem
		if !errors.As(one, &problem) {
			p.printError(p.field.Title, one)
			continue
		}
		p.printLine("%s", p.formatProblem(p.field.Title, problem))
		if key, text := problem.FindFix(); key == p.field.Key && better == "" {
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

func (p fieldPrompt) describe() []string {
	f := p.field
	lines := []string{text.Sentence(f.Title), text.Sentence(f.Help)}
	if f.Why != "" {
		lines = append(lines, "Why it matters: "+text.Sentence(f.Why))
	}
	if f.Example != "" {
		lines = append(lines, "Example: "+f.Example)
	}
	if f.Source != "" {
		lines = append(lines, "Source: "+text.Sentence(f.Source))
	}
	if now := f.Get(p.session.Spec()); now != "" {
		lines = append(lines, "Now: "+formatValue(f, now)+", "+describeOrigin(p.session.Answers().Origin(f.Key))+".")
	}
	return append(lines, "Key in the answers file: "+f.Key+".")
}

func (p fieldPrompt) listChoices() []string {
	return formatNumbered(p.session.Lookups.Choices(p.field))
}
