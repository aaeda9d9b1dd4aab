package console

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"exoshift/wizard"
)

// The stages after the screens with questions.
const (
	checks wizard.Screen = "checks"
	review wizard.Screen = "review"
)

// place is where a conversation is.
type place struct {
	stage wizard.Screen
	key   string // the question; "" for the first
	last  bool   // the last question in place of the first
	once  bool   // this question alone is asked again
}

// turn is where the conversation goes after a stage.
type turn struct {
	way   way
	place place // elsewhere: where
	yes   bool  // answered: the operator said yes to the review
}

// stages returns the stages, in their order: screens on which nothing is asked are left out.
func (c *conversation) stages() []wizard.Screen {
	var all []wizard.Screen
	for _, screen := range wizard.Screens() {
		if c.talk.Only == nil || len(c.asked(screen)) > 0 {
			all = append(all, screen)
		}
	}
	if c.talk.CheckOnly {
		return append(all, checks)
	}
	return append(all, checks, review)
}

// hold goes through the stages until the operator said yes, or left.
func (c *conversation) hold(ctx context.Context) (yes bool, err error) {
	at := place{stage: c.stages()[0]}
	for {
		c.announce(at)
		next, err := c.enter(ctx, at)
		switch {
		case err != nil:
			return false, err
		case next.way == leaving:
			return false, nil
		case next.way == answered && c.isLast(at.stage):
			return next.yes, nil
		}
		at = c.follow(at, next)
	}
}

func (c *conversation) isLast(stage wizard.Screen) bool {
	stages := c.stages()
	return stages[len(stages)-1] == stage
}

// announce tells the stage that begins.
func (c *conversation) announce(at place) {
	if at.once {
		return
	}
	stages := c.stages()
	c.pause()
	c.say("%s", parts(" ", fmt.Sprintf("Screen %d of %d: %s.", slices.Index(stages, at.stage)+1, len(stages), titleOf(at.stage)), at.stage.Intro()))
}

func titleOf(stage wizard.Screen) string {
	switch stage {
	case checks:
		return "Checks"
	case review:
		return "Review"
	}
	return stage.Title()
}

// enter goes through one stage.
func (c *conversation) enter(ctx context.Context, at place) (turn, error) {
	switch at.stage {
	case checks:
		return c.check(ctx)
	case review:
		return c.review(ctx)
	}
	return c.screen(ctx, at)
}

// follow returns the place after a turn.
func (c *conversation) follow(at place, next turn) place {
	stages := c.stages()
	i := slices.Index(stages, at.stage)
	switch {
	case next.way == elsewhere:
		return c.reachable(i, next.place)
	case next.way == backward && i <= 0:
		c.say("This is the first question.")
		return place{stage: stages[0]}
	case next.way == backward:
		return place{stage: stages[i-1], last: true}
	}
	return place{stage: stages[min(i+1, len(stages)-1)]}
}

// reachable returns the place to go to: what is wrong on the way there has to be put right before.
func (c *conversation) reachable(from int, to place) place {
	stages := c.stages()
	for _, stage := range stages[max(from, 0):max(from, slices.Index(stages, to.stage), 0)] {
		if faults := c.faults(stage); len(faults) > 0 {
			c.tellFaults(faults)
			return c.placeOf(faults[0], stage)
		}
	}
	return to
}

// numberedStage returns the turn to the stage of a number, counted from 1.
func (c *conversation) numberedStage(n int) (turn, bool) {
	stages := c.stages()
	if n < 1 || n > len(stages) {
		c.say("There is no screen %d; they are 1 to %d.", n, len(stages))
		return turn{}, false
	}
	return turn{way: elsewhere, place: place{stage: stages[n-1]}}, true
}

// placeOf returns the question at which a fault is put right; fallback is the stage where it showed.
func (c *conversation) placeOf(f wizard.Fault, fallback wizard.Screen) place {
	screen := wizard.ScreenOf(f.Field)
	for _, field := range screen.Fields(c.talk.Answers.Spec) {
		if isPart(f.Field, field.Key) {
			c.wrong[field.Key] = true
			if key, text := f.Remedy(); key == field.Key {
				c.better[field.Key] = text
			}
			return place{stage: screen, key: field.Key, once: true}
		}
	}
	return place{stage: fallback}
}

// isPart tells whether a key is a field's or that of a part of it.
func isPart(key, field string) bool {
	rest, below := strings.CutPrefix(key, field)
	return below && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
