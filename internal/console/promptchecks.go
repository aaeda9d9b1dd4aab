package console

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"exoshift/provisioner"
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
	failed, err := c.runChecks(ctx)
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
		c.say("All checks passed.")
		return turn{way: answered}, nil
	}
	return c.pauseAt(ctx, checks, "Press Enter to check again")
}

// runChecks tells each change of each check and returns how many failed. Ctrl-C ends the checks alone.
func (c *conversation) runChecks(ctx context.Context) (failed int, err error) {
	checking, end := c.interruptible(ctx)
	defer end()
	spec := c.talk.Answers.Spec
	secrets, _ := c.secrets()
	changes, done := make(chan wizard.CheckState), make(chan error, 1)
	go func() {
		done <- c.talk.Check(checking, spec, secrets, func(state wizard.CheckState) {
			select {
			case changes <- state:
			case <-checking.Done():
			}
		})
	}()
	last := map[string]wizard.CheckState{}
	for {
		select {
		case now := <-changes:
			if now.State != "" && last[now.ID] != now {
				last[now.ID] = now
				c.tellCheck(now)
			}
		case err := <-done:
			return countFailed(last), err
		case <-checking.Done():
			return countFailed(last), checking.Err()
		}
	}
}

func countFailed(last map[string]wizard.CheckState) (failed int) {
	for _, state := range last {
		if state.State == provisioner.Failed {
			failed++
		}
	}
	return failed
}

// tellCheck tells how a check is now.
func (c *conversation) tellCheck(now wizard.CheckState) {
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
