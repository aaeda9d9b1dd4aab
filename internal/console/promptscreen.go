package console

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"exoshift/wizard"
)

// question is one thing that is asked on a screen: a field, or what leads to others.
type question struct {
	key   string
	field wizard.Field // if it is one
	run   func(context.Context, question) (reply, error)
}

// advancedKey is the question whether to change what has a default that nearly everybody keeps.
const advancedKey = "further"

// listFields returns the fields of a screen that this interview is about.
func (c *promptSession) listFields(screen wizard.Screen) []wizard.Field {
	var asked []wizard.Field
	for _, field := range screen.ListFields(c.session.Answers.Spec) {
		if c.session.Only == nil || c.invalid[field.Key] || slices.ContainsFunc(c.session.Only, func(only string) bool { return isPart(field.Key, only) }) {
			asked = append(asked, field)
		}
	}
	return asked
}

// listQuestions returns what is asked on a screen now: settings that a newcomer keeps only after one question about all of
// them, and groups of machines each before the question whether there shall be more.
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

// isAdvanced tells whether a field is asked among the further settings only. What belongs to a group is asked with the
// group; of a few fields that are asked by name, each is.
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

// promptAdvanced asks whether to go through the settings that have defaults.
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

// runScreen asks the questions of a screen, from a place on, and ends it.
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

// findStart returns the index of the question that a screen begins with.
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

// resolveExit tells whether what was typed at the i-th question leads away from the screen, and where.
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

// findNext returns the index of the next question; an answer may have changed what is asked.
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

// applySuggestions takes what is suggested for questions that were not looked at; what cannot stand there is told at the end
// of the screen.
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

// endScreen ends a screen: what is wrong leads back to its question, what deserves a look is told once.
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

// handleProblems tells faults and leads to the question of the first one.
func (c *promptSession) handleProblems(ctx context.Context, stage wizard.Screen, faults []wizard.Problem) (navigation, error) {
	c.printProblems(faults)
	if to := c.findPosition(faults[0], stage); to.key != "" {
		return navigation{command: commandGoTo, position: to}, nil
	}
	return c.waitAt(ctx, stage, "Press Enter to try again")
}

// waitAt waits for a line where there is no question to lead to.
func (c *promptSession) waitAt(ctx context.Context, stage wizard.Screen, what string) (navigation, error) {
	next, _, err := c.waitReply(ctx, stage, what)
	return next, err
}

// waitReply waits for a line and returns it, and where it leads to.
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
	c.resetLookups() // things may have changed outside meanwhile
	return navigation{command: commandGoTo, position: position{stage: stage}}, got, nil
}
