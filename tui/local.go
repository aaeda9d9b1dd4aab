package tui

import (
	"context"

	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

// localLook is what this machine can say about the answers: its files and environment variables are read beside the
// screen.
type localLook struct {
	turn       int
	faults     []wizard.Fault
	warnings   []wizard.Fault
	pullSecret string // summary of the pull secret; empty as long as there is none
}

// looked is the end of a local look.
type looked struct{ localLook }

// look reads what the answers lead to.
func (t *talk) look() {
	t.local.turn++
	turn, spec, lookup, unused := t.local.turn, t.spec(), t.interview.Lookup, t.interview.Unused(t.spec())
	cmd, _ := t.spawn(func(context.Context) tea.Msg {
		secrets, faults := wizard.ResolveSecrets(spec, lookup)
		seen := localLook{turn: turn, faults: append(faults, wizard.CheckPaths(spec)...), warnings: append(wizard.Warnings(spec, secrets), unused...)}
		if secrets.PullSecret != "" {
			seen.pullSecret = wizard.SummarizePullSecret(secrets.PullSecret)
		}
		return looked{seen}
	})
	t.run(cmd)
}

func (t *talk) hearLook(m looked) {
	if m.turn == t.local.turn {
		m.pullSecret = cleanText(m.pullSecret, t.ascii)
		m.faults, m.warnings = cleanFaults(m.faults, t.ascii), cleanFaults(m.warnings, t.ascii)
		t.local = m.localLook
	}
}
