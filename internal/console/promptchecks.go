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

// handleChecks runs the checks before an installation. Problems of answers lead back to their questions first.
func (c *promptSession) handleChecks(ctx context.Context) (navigation, error) {
	if faults := c.listAllProblems(); len(faults) > 0 {
		return c.handleProblems(ctx, checks, faults)
	}
	if c.session.Check == nil {
		return navigation{command: commandAnswer}, nil
	}
	c.printLine("This looks at what an installation needs, and changes nothing.")
	all, err := c.runChecks(ctx, c.session.Check)
	failed := all.countFailed()
	switch {
	case ctx.Err() != nil:
		return navigation{}, context.Cause(ctx)
	case errors.Is(err, context.Canceled):
		c.printLine("The checks were stopped.")
	case failed > 0:
		c.printLine("%s failed.", formatCount(failed, "check"))
	case err != nil:
		c.printError("The checks could not be made", err)
	default:
		c.printLine("%s", joinNonEmpty(" ", "All checks passed.", c.formatZoneHint("At the next question")))
		return navigation{command: commandAnswer}, nil
	}
	return c.waitAtChecks(ctx, all)
}

type checkRun func(ctx context.Context, spec state.Spec, secrets wizard.Secrets, tell func(wizard.CheckState)) error

// runChecks prints each change of each check. Ctrl-C ends only the checks.
func (c *promptSession) runChecks(ctx context.Context, run checkRun) (checkStates, error) {
	checking, end := c.withInterrupt(ctx)
	defer end()
	spec := c.session.Answers.Spec
	secrets, _ := c.resolveSecrets()
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
			if last.update(now) {
				c.printCheck(now, last)
			}
		case err := <-done:
			c.printEndpointCounts(last)
			return last, err
		case <-checking.Done():
			return last, checking.Err()
		}
	}
}

// checkStates maps the ID and the source of a check to its state.
type checkStates map[[2]string]wizard.CheckState

func (s checkStates) update(now wizard.CheckState) bool {
	key := [2]string{now.ID, ""}
	if now.Reach != nil {
		key[1] = now.Reach.Result.Source
	}
	before, known := s[key]
	s[key] = now
	before.Reach, now.Reach = nil, nil
	return now.State != "" && (!known || before != now)
}

func (s checkStates) hasEndpoints() bool {
	for _, state := range s {
		if state.Reach != nil {
			return true
		}
	}
	return false
}

// countFailed counts connectivity checks only if the step that runs them all is missing, as that fails with them.
func (s checkStates) countFailed() int {
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

func (c *promptSession) printCheck(now wizard.CheckState, all checkStates) {
	if now.Reach != nil {
		c.printEndpoint(now, all)
		return
	}
	states := map[string]string{
		provisioner.Started: "checking", provisioner.Done: "ok", provisioner.Failed: "failed", provisioner.Skipped: "skipped",
	}
	c.printLine("%s", formatSentence(fmt.Sprintf("%s: %s", now.Title, joinNonEmpty(", ", states[now.State], now.Text))))
	if now.State == provisioner.Failed && now.Hint != "" {
		for _, line := range sanitizeLines("What to do: " + now.Hint) {
			c.printLine("%s", line)
		}
	}
	if field, stage := c.findQuestion(now.Field); now.State == provisioner.Failed && stage > 0 {
		c.printLine("The answer to change: %s. Type :screen %d to go there.", field.Title, stage)
	}
}

func (c *promptSession) findQuestion(key string) (field wizard.Field, stage int) {
	screen := wizard.ScreenOf(key)
	for _, field := range c.listFields(screen) {
		if field.Key == key {
			return field, slices.Index(c.listStages(), screen) + 1
		}
	}
	return wizard.Field{}, 0
}
