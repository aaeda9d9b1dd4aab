package console

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/wizard"
)

// check runs the checks before an installation. What is wrong with the answers leads back to them first.
func (c *conversation) check(ctx context.Context) (turn, error) {
	if faults := c.allFaults(); len(faults) > 0 {
		return c.mend(ctx, checks, faults)
	}
	if c.talk.Check == nil {
		return turn{way: answered}, nil
	}
	c.say("This looks at what an installation needs, and changes nothing.")
	all, err := c.runChecks(ctx, c.talk.Check)
	failed := all.failed()
	switch {
	case ctx.Err() != nil:
		return turn{}, context.Cause(ctx)
	case errors.Is(err, context.Canceled):
		c.say("The checks were stopped.")
	case failed > 0:
		c.say("%s failed.", count(failed, "check"))
	case err != nil:
		c.sayError("The checks could not be made", err)
	default:
		c.say("%s", parts(" ", "All checks passed.", c.zoneHint("At the next question")))
		return turn{way: answered}, nil
	}
	return c.pauseAtChecks(ctx, all)
}

// checkRun makes checks and tells how each is.
type checkRun func(ctx context.Context, spec state.Spec, secrets wizard.Secrets, tell func(wizard.CheckState)) error

// runChecks tells each change of each check and returns how they ended. Ctrl-C ends the checks alone.
func (c *conversation) runChecks(ctx context.Context, run checkRun) (checkStates, error) {
	checking, end := c.interruptible(ctx)
	defer end()
	spec := c.talk.Answers.Spec
	secrets, _ := c.secrets()
	changes, done := make(chan wizard.CheckState), make(chan error, 1)
	go func() {
		done <- run(checking, spec, secrets, func(state wizard.CheckState) {
			select {
			case changes <- state:
			case <-checking.Done():
			}
		})
	}()
	last := checkStates{}
	for {
		select {
		case now := <-changes:
			if last.take(now) {
				c.tellCheck(now, last)
			}
		case err := <-done:
			c.tellReached(last)
			return last, err
		case <-checking.Done():
			return last, checking.Err()
		}
	}
}

// checkStates are the checks as they are, each by its ID and where it looks from.
type checkStates map[[2]string]wizard.CheckState

// take keeps how a check is now and says whether that is news.
func (s checkStates) take(now wizard.CheckState) bool {
	key := [2]string{now.ID, ""}
	if now.Reach != nil {
		key[1] = now.Reach.Result.Vantage
	}
	before, known := s[key]
	s[key] = now
	before.Reach, now.Reach = nil, nil
	return now.State != "" && (!known || before != now)
}

// services tells whether there are checks of reachability.
func (s checkStates) services() bool {
	for _, state := range s {
		if state.Reach != nil {
			return true
		}
	}
	return false
}

// failed counts what failed. A check of reachability that fails has the step fail that makes them all, so that those
// count only where there is no such step.
func (s checkStates) failed() int {
	steps, services := 0, 0
	for _, state := range s {
		switch {
		case state.State != provisioner.Failed:
		case state.Reach != nil:
			services++
		default:
			steps++
		}
	}
	if steps > 0 {
		return steps
	}
	return services
}

// tellCheck tells how a check is now; all are those that were told.
func (c *conversation) tellCheck(now wizard.CheckState, all checkStates) {
	if now.Reach != nil {
		c.tellService(now, all)
		return
	}
	states := map[string]string{
		provisioner.Started: "checking", provisioner.Done: "ok", provisioner.Failed: "failed", provisioner.Skipped: "skipped",
	}
	c.say("%s", sentence(fmt.Sprintf("%s: %s", now.Title, parts(", ", states[now.State], now.Text))))
	if now.State == provisioner.Failed && now.Hint != "" {
		for _, line := range cleanLines("What to do: " + now.Hint) {
			c.say("%s", line)
		}
	}
	if field, stage := c.questionOf(now.Field); now.State == provisioner.Failed && stage > 0 {
		c.say("The answer to change: %s. Type :screen %d to go there.", field.Title, stage)
	}
}

// questionOf returns the field of that key and the number of the stage where it is asked; 0 if it is not.
func (c *conversation) questionOf(key string) (field wizard.Field, stage int) {
	screen := wizard.ScreenOf(key)
	for _, field := range c.asked(screen) {
		if field.Key == key {
			return field, slices.Index(c.stages(), screen) + 1
		}
	}
	return wizard.Field{}, 0
}
