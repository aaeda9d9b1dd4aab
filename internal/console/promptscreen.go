package console

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"exoshift/wizard"
)

// question is a field, or a question about additional fields.
type question struct {
	key   string
	field wizard.Field // if it is one
	run   func(context.Context, question) (reply, error)
}

// advancedKey is the question whether to change advanced settings.
const advancedKey = "further"

func (c *promptSession) listFields(screen wizard.Screen) []wizard.Field {
	var asked []wizard.Field
	for _, field := range screen.ListFields(c.session.Answers.Spec) {
		if c.session.Only == nil || c.invalid[field.Key] || slices.ContainsFunc(c.session.Only, func(only string) bool { return isPart(field.Key, only) }) {
			asked = append(asked, field)
		}
	}
	return asked
}

// listQuestions returns the current questions of a screen: advanced settings only after a question about all of them, and
// groups of machines each before the question whether to add one.
func (c *promptSession) listQuestions(screen wizard.Screen) []question {
	var first, further []question
	for _, field := range orderGroups(c.listFields(screen)) {
		one := question{key: field.Key, field: field, run: c.promptField}
		switch field.Shape() {
		case wizard.Groups:
			one.run = c.promptGroups
		case wizard.Reference:
			one.run = c.promptSecret
		}
		if c.isAdvanced(field) {
			further = append(further, one)
			continue
		}
		first = append(first, one)
	}
	if len(further) == 0 {
		return first
	}
	first = append(first, question{key: advancedKey, run: func(ctx context.Context, _ question) (reply, error) {
		return c.promptAdvanced(ctx, screen, len(further))
	}})
	if c.advanced[screen] {
		first = append(first, further...)
	}
	return first
}

// isAdvanced reports whether a field is asked only among the advanced settings. Fields of a group are asked with the group; if
// the interview is limited to some fields, each is asked.
func (c *promptSession) isAdvanced(field wizard.Field) bool {
	return field.Advanced && c.session.Only == nil && !c.invalid[field.Key] && !strings.Contains(field.Key, "[")
}

// orderGroups moves the question about groups behind the fields of the groups.
func orderGroups(fields []wizard.Field) []wizard.Field {
	i := slices.IndexFunc(fields, func(f wizard.Field) bool { return f.Shape() == wizard.Groups })
	if i < 0 {
		return fields
	}
	var before, after []wizard.Field
	for _, field := range fields {
		switch {
		case field.Key == fields[i].Key:
		case isPart(field.Key, fields[i].Key):
			before = append(before, field)
		default:
			after = append(after, field)
		}
	}
	at := min(i, len(after))
	return slices.Concat(after[:at], before, fields[i:i+1], after[at:])
}

func (c *promptSession) promptAdvanced(ctx context.Context, screen wizard.Screen, count int) (reply, error) {
	usual := map[bool]string{true: "yes", false: "no"}[c.advanced[screen]]
	for {
		got, err := c.readReply(ctx, fmt.Sprintf("Change any of the %d further settings, which have defaults? Yes or no [%s]: ", count, usual), nil)
		if err != nil || got.command != commandAnswer {
			return got, err
		}
		if got.text == "" {
			return got, nil
		}
		if yes, ok := parseYesNo(got.text); ok {
			c.advanced[screen] = yes
			return got, nil
		}
		c.printLine("Type yes or no.")
	}
}

func parseYesNo(text string) (yes, ok bool) {
	switch strings.ToLower(text) {
	case "y", "yes", "true", "on":
		return true, true
	case "n", "no", "false", "off":
		return false, true
	}
	return false, false
}

func (c *promptSession) runScreen(ctx context.Context, at position) (navigation, error) {
	if !at.once {
		if err := c.runLookups(ctx, at.stage, true); err != nil {
			return navigation{}, err
		}
	}
	i := c.findStart(at)
	for {
		questions := c.listQuestions(at.stage)
		if i >= len(questions) {
			return c.endScreen(ctx, at.stage)
		}
		got, err := questions[i].run(ctx, questions[i])
		if err != nil {
			return navigation{}, err
		}
		if next, ends := c.resolveExit(got, i); ends {
			return next, nil
		}
		if got.command == commandNext {
			c.applySuggestions(questions[i:])
		}
		if got.command == commandNext || got.command == commandAnswer && at.once {
			return c.endScreen(ctx, at.stage)
		}
		i = c.findNext(at.stage, i, questions[i].key, got)
		at.once = false
	}
}

func (c *promptSession) findStart(at position) int {
	questions := c.listQuestions(at.stage)
	if at.last {
		return max(len(questions)-1, 0)
	}
	return max(indexOf(questions, at.key), 0)
}

func indexOf(questions []question, key string) int {
	return slices.IndexFunc(questions, func(q question) bool { return q.key == key })
}

// resolveExit reports whether the reply to the i-th question leaves the screen, and its destination.
func (c *promptSession) resolveExit(got reply, i int) (navigation, bool) {
	switch {
	case got.command == commandQuit:
		return navigation{command: commandQuit}, true
	case got.command == commandBack && i == 0:
		return navigation{command: commandBack}, true
	case got.command == commandGoTo && got.key == "":
		return c.findStage(got.screen)
	}
	return navigation{}, false
}

// findNext returns the index of the next question; an answer may have changed the list.
func (c *promptSession) findNext(screen wizard.Screen, i int, key string, got reply) int {
	questions := c.listQuestions(screen)
	if now := indexOf(questions, key); now >= 0 {
		i = now
	}
	switch {
	case got.command == commandAnswer:
		return i + 1
	case got.command == commandBack:
		return i - 1
	case got.key != "":
		return max(indexOf(questions, got.key), 0)
	}
	return i
}

// applySuggestions accepts suggestions for skipped questions; invalid ones are reported at the end of the screen.
func (c *promptSession) applySuggestions(questions []question) {
	for _, q := range questions {
		if q.key == advancedKey {
			continue
		}
		if offered := c.resolveDefault(q.field); offered.origin == suggested {
			_ = c.setAnswer(q.field, value{text: offered.text, origin: wizard.Typed})
		}
	}
}

func (c *promptSession) endScreen(ctx context.Context, screen wizard.Screen) (navigation, error) {
	if faults := c.listProblems(screen); len(faults) > 0 {
		return c.handleProblems(ctx, screen, faults)
	}
	if err := c.runLookups(ctx, screen, false); err != nil {
		return navigation{}, err
	}
	if faults := c.listLookupProblems(screen); len(faults) > 0 {
		return c.handleProblems(ctx, screen, faults)
	}
	c.printEstimates(screen)
	c.printWarnings(screen)
	return navigation{command: commandAnswer}, nil
}

func (c *promptSession) handleProblems(ctx context.Context, stage wizard.Screen, faults []wizard.Problem) (navigation, error) {
	c.printProblems(faults)
	if to := c.findPosition(faults[0], stage); to.key != "" {
		return navigation{command: commandGoTo, position: to}, nil
	}
	return c.waitAt(ctx, stage, "Press Enter to try again")
}

// waitAt waits for a command where no question fits a problem.
func (c *promptSession) waitAt(ctx context.Context, stage wizard.Screen, what string) (navigation, error) {
	next, _, err := c.waitReply(ctx, stage, what)
	return next, err
}

func (c *promptSession) waitReply(ctx context.Context, stage wizard.Screen, what string) (navigation, reply, error) {
	got, err := c.readReply(ctx, what+", or type :screen 1 to go to a screen, < to go back, :quit to stop: ", nil)
	switch {
	case err != nil:
		return navigation{}, got, err
	case got.command == commandQuit, got.command == commandBack:
		return navigation{command: got.command}, got, nil
	case got.command == commandGoTo:
		if next, ok := c.findStage(got.screen); ok {
			return next, got, nil
		}
	}
	c.resetLookups() // external state may have changed
	return navigation{command: commandGoTo, position: position{stage: stage}}, got, nil
}
