package tuitest

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"exoshift/internal/stable"
)

// Driver runs a screen without a terminal: it sends messages, and runs the commands that they return one after the other. Time
// passes only by Advance. S is the driver of a package's tests, which embeds this one: most methods return it, so that calls chain.
type Driver[S any] struct {
	Self   S
	Model  tea.Model
	Now    *time.Time // the clock of the screen
	Quit   bool       // the screen has ended
	Timers []Timer    // of Later
}

// Timer is a message that is due at a time.
type Timer struct {
	At      time.Time
	Message tea.Msg
}

// Start gives the screen its size and runs its first command.
func (d *Driver[S]) Start(width, height int) {
	d.Resize(width, height)
	d.Run(d.Model.Init())
}

// Resize changes the size of the terminal.
func (d *Driver[S]) Resize(width, height int) S {
	d.Send(tea.WindowSizeMsg{Width: width, Height: height})
	return d.Self
}

// Send sends a message and runs the command that it returns.
func (d *Driver[S]) Send(message tea.Msg) {
	_, cmd := d.Model.Update(message)
	d.Run(cmd)
}

// Run runs a command and sends its message.
func (d *Driver[S]) Run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch m := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, cmd := range m {
			d.Run(cmd)
		}
	case tea.QuitMsg:
		d.Quit = true
	default:
		d.Send(m)
	}
}

// Later is app.SendLater in the time of Advance.
func (d *Driver[S]) Later(pause time.Duration, message tea.Msg) tea.Cmd {
	d.Timers = append(d.Timers, Timer{d.Now.Add(pause), message})
	return nil
}

// Advance lets time pass, and sends the messages that become due.
func (d *Driver[S]) Advance(pause time.Duration) S {
	end := d.Now.Add(pause)
	for {
		stable.Sort(d.Timers, func(a, b Timer) int { return a.At.Compare(b.At) })
		if len(d.Timers) == 0 || d.Timers[0].At.After(end) {
			break
		}
		due := d.Timers[0]
		d.Timers = d.Timers[1:]
		*d.Now = due.At
		d.Send(due.Message)
	}
	if d.Now.Before(end) {
		*d.Now = end
	}
	return d.Self
}

// Press presses keys by their names, see NewKey.
func (d *Driver[S]) Press(keys ...string) S {
	for _, k := range keys {
		d.Send(NewKey(k))
	}
	return d.Self
}

// Type types a text, character by character.
func (d *Driver[S]) Type(text string) S {
	for _, r := range text {
		k := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}}
		if r == ' ' {
			k.Type = tea.KeySpace
		}
		d.Send(k)
	}
	return d.Self
}

// Paste pastes a text.
func (d *Driver[S]) Paste(text string) S {
	d.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text), Paste: true})
	return d.Self
}

// Shows fails unless the screen has all texts, wherever its lines break.
func (d *Driver[S]) Shows(t testing.TB, texts ...string) S {
	t.Helper()
	for _, text := range texts {
		if !d.has(text) {
			t.Errorf("%q is not shown:\n%s", text, d.Model.View())
		}
	}
	return d.Self
}

// Hides fails if the screen has one of the texts.
func (d *Driver[S]) Hides(t testing.TB, texts ...string) S {
	t.Helper()
	for _, text := range texts {
		if d.has(text) {
			t.Errorf("%q is shown:\n%s", text, d.Model.View())
		}
	}
	return d.Self
}

func (d *Driver[S]) has(text string) bool {
	view := d.Model.View()
	return strings.Contains(view, text) || strings.Contains(strings.Join(strings.Fields(view), " "), text)
}
