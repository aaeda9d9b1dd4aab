package tui

import (
	"context"

	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

// localCheck is the result of reading the files and environment variables of this machine that the answers refer to, in the
// background.
type localCheck struct {
	generation int
	errors     []wizard.Problem
	warnings   []wizard.Problem
	pullSecret string // summary of the pull secret; empty as long as there is none
}

type localCheckMsg struct{ localCheck }

func (t *session) checkLocal() {
	t.local.generation++
	turn, spec, lookup, unused := t.local.generation, t.spec(), t.interview.LookupEnv, t.interview.ListUnused(t.spec())
	cmd, _ := t.spawn(func(context.Context) tea.Msg {
		secrets, faults := wizard.ResolveSecrets(spec, lookup)
		seen := localCheck{generation: turn, errors: append(faults, wizard.CheckPaths(spec)...), warnings: append(wizard.CheckWarnings(spec, secrets), unused...)}
		if secrets.PullSecret != "" {
			seen.pullSecret = wizard.SummarizePullSecret(secrets.PullSecret)
		}
		return localCheckMsg{seen}
	})
	t.addCommand(cmd)
}

func (t *session) handleLocalCheck(m localCheckMsg) {
	if m.generation == t.local.generation {
		m.pullSecret = sanitizeText(m.pullSecret, t.ascii)
		m.errors, m.warnings = sanitizeProblems(m.errors, t.ascii), sanitizeProblems(m.warnings, t.ascii)
		t.local = m.localCheck
	}
}
