package session

import (
	"context"

	"exoshift/internal/text"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/local"
)

// LocalCheck reads the files and environment variables of this machine that the answers refer to.
type LocalCheck struct {
	interview *wizard.Interview
	onChange  func()
	run       run
	due       bool
	spec      state.Spec

	errors     []wizard.Problem
	warnings   []wizard.Problem
	pullSecret string
}

func (c *LocalCheck) schedule(spec state.Spec) { c.due, c.spec = true, spec }

// Start starts to read, if the answers have changed; nil otherwise.
func (c *LocalCheck) Start() Work {
	if !c.due {
		return nil
	}
	c.due = false
	spec := c.spec
	return c.run.start(func(_ context.Context, post func(func())) {
		secrets, problems := local.ResolveSecrets(spec, c.interview.LookupEnv)
		problems = append(problems, local.CheckPaths(spec)...)
		warnings := append(local.CheckWarnings(spec, secrets), c.interview.ListUnused(spec)...)
		summary := ""
		if secrets.PullSecret != "" {
			summary = local.SummarizePullSecret(secrets.PullSecret)
		}
		post(func() {
			c.errors, c.warnings, c.pullSecret = sanitizeProblems(problems), sanitizeProblems(warnings), text.Sanitize(summary)
			c.onChange()
		})
	})
}

// PullSecret describes the pull secret without revealing it; "" as long as there is none.
func (c *LocalCheck) PullSecret() string { return c.pullSecret }
