package review

import (
	"context"
	"time"

	"exoshift/state"
	"exoshift/tui/wizard/page"
	"exoshift/wizard"
	"exoshift/wizard/local"

	tea "github.com/charmbracelet/bubbletea"
)

// backgroundRun computes something in the background from the answers at its start. A later run replaces it.
type backgroundRun struct {
	spec       state.Spec // the answers that it is about
	began      time.Time
	generation int // counts the attempts: messages of earlier ones are dropped
	running    bool
	cancel     context.CancelFunc
}

func (a *backgroundRun) begin(t *page.Context, do func(ctx context.Context, turn int, spec state.Spec, secrets wizard.Secrets) tea.Msg) {
	a.stop()
	a.spec, a.began, a.running = t.Spec(), t.Now(), true
	turn, spec := a.generation, a.spec
	cmd, cancel := t.Spawn(func(ctx context.Context) tea.Msg {
		secrets, _ := local.ResolveSecrets(spec, t.Interview.LookupEnv)
		return do(ctx, turn, spec, secrets)
	})
	a.cancel = cancel
	t.AddCommand(cmd)
}

func (a *backgroundRun) stop() {
	if a.cancel != nil {
		a.cancel()
	}
	a.generation++
	a.running, a.cancel = false, nil
}
