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
	ask   func(context.Context, question) (said, error)
}

// furtherKey is the question whether to change what has a default that nearly everybody keeps.
const furtherKey = "further"

// asked returns the fields of a screen that this interview is about.
func (c *conversation) asked(screen wizard.Screen) []wizard.Field {
	var asked []wizard.Field
	for _, field := range screen.Fields(c.talk.Answers.Spec) {
		if c.talk.Only == nil || c.wrong[field.Key] || slices.ContainsFunc(c.talk.Only, func(only string) bool { return isPart(field.Key, only) }) {
			asked = append(asked, field)
		}
	}
	return asked
}

// questions returns what is asked on a screen now: settings that a newcomer keeps only after one question about all of
// them, and groups of machines each before the question whether there shall be more.
func (c *conversation) questions(screen wizard.Screen) []question {
	var first, further []question
	for _, field := range grouped(c.asked(screen)) {
		one := question{key: field.Key, field: field, ask: c.askField}
		switch field.Shape() {
		case wizard.Groups:
			one.ask = c.askGroups
		case wizard.Reference:
			one.ask = c.askSecret
		}
		if c.folded(field) {
			further = append(further, one)
			continue
		}
		first = append(first, one)
	}
	if len(further) == 0 {
		return first
	}
	first = append(first, question{key: furtherKey, ask: func(ctx context.Context, _ question) (said, error) {
		return c.askFurther(ctx, screen, len(further))
	}})
	if c.further[screen] {
		first = append(first, further...)
	}
	return first
}

// folded tells whether a field is asked among the further settings only. What belongs to a group is asked with the
// group; of a few fields that are asked by name, each is.
func (c *conversation) folded(field wizard.Field) bool {
	return field.Advanced && c.talk.Only == nil && !c.wrong[field.Key] && !strings.Contains(field.Key, "[")
}

// grouped moves the question about groups behind the fields of the groups.
func grouped(fields []wizard.Field) []wizard.Field {
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

// askFurther asks whether to go through the settings that have defaults.
func (c *conversation) askFurther(ctx context.Context, screen wizard.Screen, count int) (said, error) {
	usual := map[bool]string{true: "yes", false: "no"}[c.further[screen]]
	for {
		got, err := c.ask(ctx, fmt.Sprintf("Change any of the %d further settings, which have defaults? Yes or no [%s]: ", count, usual), nil)
		if err != nil || got.way != answered {
			return got, err
		}
		if got.text == "" {
			return got, nil
		}
		if yes, ok := yesOrNo(got.text); ok {
			c.further[screen] = yes
			return got, nil
		}
		c.say("Type yes or no.")
	}
}

func yesOrNo(text string) (yes, ok bool) {
	switch strings.ToLower(text) {
	case "y", "yes", "true", "on":
		return true, true
	case "n", "no", "false", "off":
		return false, true
	}
	return false, false
}

// screen asks the questions of a screen, from a place on, and ends it.
func (c *conversation) screen(ctx context.Context, at place) (turn, error) {
	if !at.once {
		if err := c.inquire(ctx, at.stage, true); err != nil {
			return turn{}, err
		}
	}
	i := c.startOf(at)
	for {
		questions := c.questions(at.stage)
		if i >= len(questions) {
			return c.endScreen(ctx, at.stage)
		}
		got, err := questions[i].ask(ctx, questions[i])
		if err != nil {
			return turn{}, err
		}
		if next, ends := c.leavesScreen(got, i); ends {
			return next, nil
		}
		if got.way == skipping {
			c.acceptRest(questions[i:])
		}
		if got.way == skipping || got.way == answered && at.once {
			return c.endScreen(ctx, at.stage)
		}
		i = c.indexAfter(at.stage, i, questions[i].key, got)
		at.once = false
	}
}

// startOf returns the index of the question that a screen begins with.
func (c *conversation) startOf(at place) int {
	questions := c.questions(at.stage)
	if at.last {
		return max(len(questions)-1, 0)
	}
	return max(indexOf(questions, at.key), 0)
}

func indexOf(questions []question, key string) int {
	return slices.IndexFunc(questions, func(q question) bool { return q.key == key })
}

// leavesScreen tells whether what was typed at the i-th question leads away from the screen, and where.
func (c *conversation) leavesScreen(got said, i int) (turn, bool) {
	switch {
	case got.way == leaving:
		return turn{way: leaving}, true
	case got.way == backward && i == 0:
		return turn{way: backward}, true
	case got.way == elsewhere && got.key == "":
		return c.numberedStage(got.screen)
	}
	return turn{}, false
}

// indexAfter returns the index of the next question; an answer may have changed what is asked.
func (c *conversation) indexAfter(screen wizard.Screen, i int, key string, got said) int {
	questions := c.questions(screen)
	if now := indexOf(questions, key); now >= 0 {
		i = now
	}
	switch {
	case got.way == answered:
		return i + 1
	case got.way == backward:
		return i - 1
	case got.key != "":
		return max(indexOf(questions, got.key), 0)
	}
	return i
}

// acceptRest takes what is suggested for questions that were not looked at; what cannot stand there is told at the end
// of the screen.
func (c *conversation) acceptRest(questions []question) {
	for _, q := range questions {
		if q.key == furtherKey {
			continue
		}
		if offered := c.offered(q.field); offered.origin == suggested {
			_ = c.give(q.field, value{text: offered.text, origin: wizard.Typed})
		}
	}
}

// endScreen ends a screen: what is wrong leads back to its question, what deserves a look is told once.
func (c *conversation) endScreen(ctx context.Context, screen wizard.Screen) (turn, error) {
	if faults := c.faults(screen); len(faults) > 0 {
		return c.mend(ctx, screen, faults)
	}
	if err := c.inquire(ctx, screen, false); err != nil {
		return turn{}, err
	}
	if faults := c.foundOutside(screen); len(faults) > 0 {
		return c.mend(ctx, screen, faults)
	}
	c.remark(screen)
	c.warn(screen)
	return turn{way: answered}, nil
}

// mend tells faults and leads to the question of the first one.
func (c *conversation) mend(ctx context.Context, stage wizard.Screen, faults []wizard.Fault) (turn, error) {
	c.tellFaults(faults)
	if to := c.placeOf(faults[0], stage); to.key != "" {
		return turn{way: elsewhere, place: to}, nil
	}
	return c.pauseAt(ctx, stage, "Press Enter to try again")
}

// pauseAt waits for a line where there is no question to lead to.
func (c *conversation) pauseAt(ctx context.Context, stage wizard.Screen, what string) (turn, error) {
	next, _, err := c.pausing(ctx, stage, what)
	return next, err
}

// pausing waits for a line and returns it, and where it leads to.
func (c *conversation) pausing(ctx context.Context, stage wizard.Screen, what string) (turn, said, error) {
	got, err := c.ask(ctx, what+", or type :screen 1 to go to a screen, < to go back, :quit to stop: ", nil)
	switch {
	case err != nil:
		return turn{}, got, err
	case got.way == leaving, got.way == backward:
		return turn{way: got.way}, got, nil
	case got.way == elsewhere:
		if next, ok := c.numberedStage(got.screen); ok {
			return next, got, nil
		}
	}
	c.forget() // things may have changed outside meanwhile
	return turn{way: elsewhere, place: place{stage: stage}}, got, nil
}
