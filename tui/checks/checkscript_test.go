package checks

import (
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/tui/tuitest"

	tea "github.com/charmbracelet/bubbletea"
)

// inspector drives the screen of checks without a terminal: it presses keys and runs the commands one after the other.
type inspector struct {
	*checkScreen
	gate    *gate
	waiting []reminder
	quit    bool
}

// inspects opens the screen. The first run has ended when it returns.
func inspects(g *gate, width, height int) *inspector {
	i := &inspector{checkScreen: newCheckScreen(g.Options), gate: g}
	i.later = func(pause time.Duration, message tea.Msg) tea.Cmd {
		i.waiting = append(i.waiting, reminder{g.now.Add(pause), message})
		return nil
	}
	i.send = i.hears
	i.hears(tea.WindowSizeMsg{Width: width, Height: height})
	i.do(i.Init())
	return i
}

func (i *inspector) hears(message tea.Msg) {
	_, cmd := i.Update(message)
	i.do(cmd)
}

func (i *inspector) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch m := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, cmd := range m {
			i.do(cmd)
		}
	case tea.QuitMsg:
		i.quit = true
	default:
		i.hears(m)
	}
}

func (i *inspector) press(keys ...string) *inspector {
	for _, k := range keys {
		i.hears(tuitest.NewKey(k))
	}
	return i
}

// pass advances the time.
func (i *inspector) pass(d time.Duration) {
	end := i.gate.now.Add(d)
	for {
		slices.SortStableFunc(i.waiting, func(a, b reminder) int { return a.at.Compare(b.at) })
		if len(i.waiting) == 0 || i.waiting[0].at.After(end) {
			break
		}
		next := i.waiting[0]
		i.waiting = i.waiting[1:]
		i.gate.now = next.at
		i.hears(next.message)
	}
	if i.gate.now.Before(end) {
		i.gate.now = end
	}
}

func (i *inspector) shows(t testing.TB, texts ...string) *inspector {
	t.Helper()
	view := strings.Join(strings.Fields(i.View()), " ")
	for _, text := range texts {
		if !strings.Contains(view, text) {
			t.Errorf("%q is not shown:\n%s", text, i.View())
		}
	}
	return i
}

func (i *inspector) hides(t testing.TB, texts ...string) *inspector {
	t.Helper()
	view := strings.Join(strings.Fields(i.View()), " ")
	for _, text := range texts {
		if strings.Contains(view, text) {
			t.Errorf("%q is shown:\n%s", text, i.View())
		}
	}
	return i
}

func (i *inspector) types(text string) *inspector {
	for _, r := range text {
		k := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}}
		if r == ' ' {
			k.Type = tea.KeySpace
		}
		i.hears(k)
	}
	return i
}

// reminder is a message that is due at a time.
type reminder struct {
	at      time.Time
	message tea.Msg
}
