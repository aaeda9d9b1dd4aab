package tui

import (
	"context"

	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

// localCheck is what this machine can say about the answers: its files and environment variables are read beside the
// screen.
type localCheck struct {
	generation int
	errors     []wizard.Problem
	warnings   []wizard.Problem
	pullSecret string // summary of the pull secret; empty as long as there is none
}

// localCheckMsg is the end of a local look.
type localCheckMsg struct{ localCheck }

// checkLocal reads what the answers lead to.
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
