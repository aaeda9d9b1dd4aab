package prompt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/text"
	"exoshift/wizard"
	"exoshift/wizard/capacity"
	"exoshift/wizard/session"
)

// screenPrompt asks the questions of one screen.
type screenPrompt struct {
	*promptSession
	screen wizard.Screen
}

// question is a field, or a question about additional fields.
type question struct {
	key   string
	field wizard.Field // if it is one
	run   func(context.Context) (reply, error)
}

// advancedKey is the question whether to change advanced settings.
const advancedKey = "further"

// listQuestions returns the current questions of a screen: advanced settings only after a question about all of them, and
// groups of machines each before the question whether to add one.
func (p screenPrompt) listQuestions() []question {
	var first, further []question
	for _, field := range orderGroups(p.session.Fields(p.screen)) {
		one := question{key: field.Key, field: field}
		asked := fieldPrompt{p.promptSession, field}
		switch field.Shape() {
		case wizard.Groups:
			one.run = groupPrompt{asked}.run
		case wizard.Reference:
			one.run = secretPrompt{asked}.run
		default:
			one.run = asked.run
		}
		if p.isAdvanced(field) {
			further = append(further, one)
			continue
		}
		first = append(first, one)
	}
	if len(further) == 0 {
		return first
	}
	first = append(first, question{key: advancedKey, run: func(ctx context.Context) (reply, error) {
		return p.promptAdvanced(ctx, len(further))
	}})
	if p.advanced[p.screen] {
		first = append(first, further...)
	}
	return first
}

// isAdvanced reports whether a field is asked only among the advanced settings. Fields of a group are asked with the group.
func (p screenPrompt) isAdvanced(field wizard.Field) bool {
	return p.session.IsFolded(field) && !p.invalid[field.Key] && !strings.Contains(field.Key, "[")
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
		case session.HasPrefix(field.Key, fields[i].Key):
			before = append(before, field)
		default:
			after = append(after, field)
		}
	}
	at := min(i, len(after))
	return slices.Concat(after[:at], before, fields[i:i+1], after[at:])
}

func (p screenPrompt) promptAdvanced(ctx context.Context, count int) (reply, error) {
	usual := map[bool]string{true: "yes", false: "no"}[p.advanced[p.screen]]
	for {
		got, err := p.readReply(ctx, fmt.Sprintf("Change any of the %d advanced settings, which have defaults? Yes or no [%s]: ", count, usual), nil)
		if err != nil || got.command != commandAnswer || got.text == "" {
			return got, err
		}
		if yes, ok := parseYesNo(got.text); ok {
			p.advanced[p.screen] = yes
			return got, nil
		}
		p.printLine("Type yes or no.")
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

func (p screenPrompt) run(ctx context.Context, at position) (navigation, error) {
	if !at.once {
		p.session.Lookups.Repeat(func(q session.Lookup) bool { return q.Screen == p.screen && q.Err != nil })
		if err := p.runLookups(ctx); err != nil {
			return navigation{}, err
		}
	}
	i := p.findStart(at)
	for {
		questions := p.listQuestions()
		if i >= len(questions) {
			return p.end(ctx)
		}
		got, err := questions[i].run(ctx)
		if err != nil {
			return navigation{}, err
		}
		if next, ends := p.resolveExit(got, i); ends {
			return next, nil
		}
		if got.command == commandNext {
			p.applySuggestions(ctx, questions[i:])
		}
		if got.command == commandNext || got.command == commandAnswer && at.once {
			return p.end(ctx)
		}
		i = p.findNext(i, questions[i].key, got)
		at.once = false
	}
}

func (p screenPrompt) findStart(at position) int {
	questions := p.listQuestions()
	if at.last {
		return max(len(questions)-1, 0)
	}
	return max(indexOf(questions, at.key), 0)
}

func indexOf(questions []question, key string) int {
	return slices.IndexFunc(questions, func(q question) bool { return q.key == key })
}

// resolveExit reports whether the reply to the i-th question leaves the screen, and its destination.
func (p screenPrompt) resolveExit(got reply, i int) (navigation, bool) {
	switch {
	case got.command == commandQuit:
		return navigation{command: commandQuit}, true
	case got.command == commandBack && i == 0:
		return navigation{command: commandBack}, true
	case got.command == commandGoTo && got.key == "":
		return p.findStage(got.screen)
	}
	return navigation{}, false
}

// findNext returns the index of the next question; an answer may have changed the list.
func (p screenPrompt) findNext(i int, key string, got reply) int {
	questions := p.listQuestions()
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
func (p screenPrompt) applySuggestions(ctx context.Context, questions []question) {
	for _, q := range questions {
		if q.key == advancedKey {
			continue
		}
		asked := fieldPrompt{p.promptSession, q.field}
		if offered := asked.resolveDefault(); offered.origin == session.Suggested {
			_ = asked.setAnswer(ctx, value{text: offered.text, origin: wizard.Typed})
		}
	}
}

func (p screenPrompt) end(ctx context.Context) (navigation, error) {
	if problems := p.session.ScreenErrors(p.screen); len(problems) > 0 {
		return p.handleProblems(ctx, p.screen, problems)
	}
	if err := p.runLookups(ctx); err != nil {
		return navigation{}, err
	}
	if problems := append(p.session.ScreenErrors(p.screen), p.session.Lookups.ProblemsElsewhere(p.screen)...); len(problems) > 0 {
		return p.handleProblems(ctx, p.screen, problems)
	}
	p.printEstimates()
	p.printWarnings(p.screen)
	return navigation{command: commandAnswer}, nil
}

// lookupTimeout applies whatever the lookup's own limits.
const lookupTimeout = 45 * time.Second

// runLookups runs the lookups of the screen that are due.
func (p screenPrompt) runLookups(ctx context.Context) error {
	for _, due := range p.session.Lookups.List() {
		if due.Screen != p.screen || due.State != session.Due {
			continue
		}
		p.printLine("%s: looking up...", due.Title)
		limited, cancel := context.WithTimeout(ctx, lookupTimeout)
		err := p.wait(limited, p.session.Lookups.Start(due.ID, due.Generation))
		cancel()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		p.session.Lookups.Stop(err)
		for _, q := range p.session.Lookups.List() {
			if q.ID == due.ID {
				p.printLookup(q)
			}
		}
	}
	return nil
}

func (p screenPrompt) printLookup(q session.Lookup) {
	switch {
	case errors.Is(q.Err, context.Canceled):
		p.printLine("%s: lookup stopped. This does not block the installation.", q.Title)
	case errors.Is(q.Err, context.DeadlineExceeded):
		p.printLine("%s: lookup timed out. This does not block the installation.", q.Title)
	case q.Err != nil:
		p.printError(q.Title+": lookup failed", q.Err)
		p.printLine("This does not block the installation.")
	case q.Result.Summary != "":
		p.printLine("%s: %s", q.Title, text.Sentence(q.Result.Summary))
	case len(q.Result.Problems) == 0:
		p.printLine("%s: ok.", q.Title)
	default:
		p.printLine("%s: errors found.", q.Title)
	}
	if q.Screen == wizard.Syn && q.Result.Pending && session.CanSignIn(p.session) {
		p.printLine("Type :signin to sign in.")
	}
}

func (p screenPrompt) printEstimates() {
	switch p.screen {
	case wizard.Nodes:
		estimate := p.session.Estimates.Estimate(p.session.Spec())
		if estimate.Machines > 0 {
			p.printLine("In total %s at most, including the temporary bootstrap machine.", text.Plural(estimate.Machines, "machine"))
		}
		p.printCost(estimate)
		if len(p.session.Lookups.Quotas()) > 0 {
			p.printLine("The quotas of your organization are sufficient.")
		}
	case wizard.Network:
		held := capacity.Compute(p.session.Spec())
		p.printLine("The pod network allows %d nodes with %d pods each; %d nodes are planned. The service network allows %d services.",
			held.Nodes, held.PodsPerNode, held.Wanted, held.Services)
	}
}

func (c *promptSession) printCost(cost wizard.Estimate) {
	if cost.Hour == 0 && len(cost.Unknown) == 0 {
		return
	}
	c.printLine("It costs about %.2f an hour, %.0f a month (CHF, EUR or USD; prices of %s).", cost.Hour, cost.Month, cost.Date)
	if len(cost.Unknown) > 0 {
		c.printLine("Not included (price unknown): %s.", strings.Join(cost.Unknown, ", "))
	}
}
