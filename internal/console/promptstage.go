package console

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"exoshift/wizard"
)

// Stages after the screens with questions.
const (
	checks wizard.Screen = "checks"
	review wizard.Screen = "review"
)

type position struct {
	stage wizard.Screen
	key   string // the question; "" for the first
	last  bool   // the last question in place of the first
	once  bool   // only this question is asked again
}

type navigation struct {
	command  command
	position position // the destination of commandGoTo
	yes      bool     // commandAnswer: the review was confirmed
}

// listStages omits screens without questions.
func (c *promptSession) listStages() []wizard.Screen {
	var all []wizard.Screen
	for _, screen := range wizard.Screens() {
		if c.session.Only == nil || len(c.listFields(screen)) > 0 {
			all = append(all, screen)
		}
	}
	if c.session.CheckOnly {
		return append(all, checks)
	}
	return append(all, checks, review)
}

// run reports whether the review was confirmed.
func (c *promptSession) run(ctx context.Context) (yes bool, err error) {
	at := position{stage: c.listStages()[0]}
	for {
		c.printStage(at)
		next, err := c.runStage(ctx, at)
		switch {
		case err != nil:
			return false, err
		case next.command == commandQuit:
			return false, nil
		case next.command == commandAnswer && c.isLast(at.stage):
			return next.yes, nil
		}
		at = c.resolveNext(at, next)
	}
}

func (c *promptSession) isLast(stage wizard.Screen) bool {
	stages := c.listStages()
	return stages[len(stages)-1] == stage
}

func (c *promptSession) printStage(at position) {
	if at.once {
		return
	}
	stages := c.listStages()
	c.printBlank()
	c.printLine("%s", joinNonEmpty(" ", fmt.Sprintf("Screen %d of %d: %s.", slices.Index(stages, at.stage)+1, len(stages), formatStageTitle(at.stage)), at.stage.Intro()))
}

func formatStageTitle(stage wizard.Screen) string {
	switch stage {
	case checks:
		return "Checks"
	case review:
		return "Review"
	}
	return stage.Title()
}

func (c *promptSession) runStage(ctx context.Context, at position) (navigation, error) {
	switch at.stage {
	case checks:
		return c.handleChecks(ctx)
	case review:
		return c.handleReview(ctx)
	}
	return c.runScreen(ctx, at)
}

func (c *promptSession) resolveNext(at position, next navigation) position {
	stages := c.listStages()
	i := slices.Index(stages, at.stage)
	switch {
	case next.command == commandGoTo:
		return c.resolvePosition(i, next.position)
	case next.command == commandBack && i <= 0:
		c.printLine("This is the first question.")
		return position{stage: stages[0]}
	case next.command == commandBack:
		return position{stage: stages[i-1], last: true}
	}
	return position{stage: stages[min(i+1, len(stages)-1)]}
}

// resolvePosition stops at the first stage with a problem on the way.
func (c *promptSession) resolvePosition(from int, to position) position {
	stages := c.listStages()
	for _, stage := range stages[max(from, 0):max(from, slices.Index(stages, to.stage), 0)] {
		if faults := c.listProblems(stage); len(faults) > 0 {
			c.printProblems(faults)
			return c.findPosition(faults[0], stage)
		}
	}
	return to
}

// findStage returns the navigation to a stage, counted from 1.
func (c *promptSession) findStage(n int) (navigation, bool) {
	stages := c.listStages()
	if n < 1 || n > len(stages) {
		c.printLine("There is no screen %d; they are 1 to %d.", n, len(stages))
		return navigation{}, false
	}
	return navigation{command: commandGoTo, position: position{stage: stages[n-1]}}, true
}

// findPosition returns the question that fixes a problem; fallback is the stage where it was found.
func (c *promptSession) findPosition(f wizard.Problem, fallback wizard.Screen) position {
	screen := wizard.ScreenOf(f.Field)
	for _, field := range screen.ListFields(c.session.Answers.Spec) {
		if isPart(f.Field, field.Key) {
			c.invalid[field.Key] = true
			if key, text := f.FindFix(); key == field.Key {
				c.suggestions[field.Key] = text
			}
			return position{stage: screen, key: field.Key, once: true}
		}
	}
	return position{stage: fallback}
}

// isPart reports whether a key is that of a field or of a part of it.
func isPart(key, field string) bool {
	rest, below := strings.CutPrefix(key, field)
	return below && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
