package tui

import (
	"context"
	"time"

	"exoshift/state"
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

// attempt is what a page finds out in the background about the answers as they were when it began. A later one takes
// its place.
type attempt struct {
	spec    state.Spec // the answers that it is about
	began   time.Time
	turn    int // counts the attempts: what is told of an earlier one is dropped
	running bool
	cancel  context.CancelFunc
}

// begin starts over. do runs in the background.
func (a *attempt) begin(t *talk, do func(ctx context.Context, turn int, spec state.Spec, secrets wizard.Secrets) tea.Msg) {
	a.stop()
	a.spec, a.began, a.running = t.spec(), t.now(), true
	turn, spec := a.turn, a.spec
	cmd, cancel := t.spawn(func(ctx context.Context) tea.Msg {
		secrets, _ := wizard.ResolveSecrets(spec, t.interview.Lookup)
		return do(ctx, turn, spec, secrets)
	})
	a.cancel = cancel
	t.run(cmd)
}

func (a *attempt) stop() {
	if a.cancel != nil {
		a.cancel()
	}
	a.turn++
	a.running, a.cancel = false, nil
}
