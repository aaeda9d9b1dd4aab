package console

import (
	"slices"

	"exoshift/wizard"
)

// listProblems returns the problems of a screen that can be found locally: with the answers, and with the files and variables
// that they refer to.
func (c *promptSession) listProblems(screen wizard.Screen) []wizard.Problem {
	spec := c.session.Answers.Spec
	faults := screen.Check(spec)
	for _, f := range slices.Concat(wizard.CheckPaths(spec), c.listSecretProblems()) {
		if wizard.ScreenOf(f.Field) == screen && !slices.ContainsFunc(faults, matchField(f.Field)) {
			faults = append(faults, f)
		}
	}
	return faults
}

func matchField(key string) func(wizard.Problem) bool {
	return func(f wizard.Problem) bool { return f.Field == key }
}

func (c *promptSession) resolveSecrets() (wizard.Secrets, []wizard.Problem) {
	if c.session.LookupEnv == nil {
		return wizard.Secrets{}, nil
	}
	return wizard.ResolveSecrets(c.session.Answers.Spec, c.session.LookupEnv)
}

func (c *promptSession) listSecretProblems() []wizard.Problem {
	_, faults := c.resolveSecrets()
	return faults
}

func (c *promptSession) listAllProblems() []wizard.Problem {
	var faults []wizard.Problem
	for _, screen := range wizard.Screens() {
		faults = append(faults, c.listProblems(screen)...)
	}
	return faults
}

func (c *promptSession) printProblems(faults []wizard.Problem) {
	for _, f := range faults {
		c.printLine("%s", formatProblem(c.findTitle(f.Field), f))
	}
}

func (c *promptSession) findTitle(key string) string {
	for _, screen := range wizard.Screens() {
		for _, field := range screen.ListFields(c.session.Answers.Spec) {
			if isPart(key, field.Key) && (field.Shape() != wizard.Groups || key == field.Key) {
				return field.Title
			}
		}
	}
	return key
}

// printWarnings prints each warning once.
func (c *promptSession) printWarnings(screen wizard.Screen) {
	secrets, _ := c.resolveSecrets()
	warnings := wizard.CheckWarnings(c.session.Answers.Spec, secrets)
	for _, heard := range c.lookups {
		warnings = append(warnings, heard.result.Warnings...)
	}
	for _, f := range warnings {
		if wizard.ScreenOf(f.Field) != screen {
			continue
		}
		words := "Warning: " + formatProblem(c.findTitle(f.Field), f)
		if !c.shownWarnings[words] {
			c.shownWarnings[words] = true
			c.printLine("%s", words)
		}
	}
}
