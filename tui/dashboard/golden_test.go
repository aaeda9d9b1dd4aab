package dashboard

import (
	"fmt"
	"io"
	"testing"
	"time"

	"exoshift/tui/tuitest"

	tea "github.com/charmbracelet/bubbletea"
)

// newTestDashboard returns a dashboard half a minute after the last event of a tape.
func newTestDashboard(t *tape, width, height int, change func(*Options)) *dashboard {
	o := Options{
		Title: "c-demo-1", Subtitle: "ch-gva-2 · 4.19.3", Plan: demoPlan(), Nodes: machines(), Out: io.Discard, NoColor: true,
		Stop: func() {}, ResumeCommand: "exoshift install --dir ~/.local/state/exoshift/c-demo-1",
		Now: func() time.Time { return t.now.Add(30 * time.Second) },
	}
	o.Wall = o.Now
	if change != nil {
		change(&o)
	}
	d := newDashboard(o)
	d.Update(tea.WindowSizeMsg{Width: width, Height: height})
	d.Update(eventsMsg(t.events))
	return d
}

func TestDashboard_Golden(t *testing.T) {
	tapes := map[string]func() *tape{
		"start": beginning, "middle": middle, "failure": failing, "finished": complete, "thousand": thousand, "late": late,
		"syn": synthesizing, "sign-in": awaitingSignIn,
	}
	sizes := [][2]int{{60, 18}, {80, 24}, {120, 40}, {200, 60}}
	for name, tape := range tapes {
		for _, size := range sizes {
			name := fmt.Sprintf("%s-%dx%d", name, size[0], size[1])
			t.Run(name, func(t *testing.T) { tuitest.Golden(t, name, newTestDashboard(tape(), size[0], size[1], nil).View()) })
		}
	}
}

func TestDashboard_ASCIIGolden(t *testing.T) {
	for emit, tape := range map[string]func() *tape{"ascii": middle, "ascii-failure": failing, "ascii-late": late} {
		for _, size := range [][2]int{{80, 24}, {200, 60}} {
			name := fmt.Sprintf("%s-%dx%d", emit, size[0], size[1])
			view := newTestDashboard(tape(), size[0], size[1], func(o *Options) { o.ASCII = true }).View()
			tuitest.Golden(t, name, view)
			for _, r := range view {
				if r > '~' {
					t.Errorf("%s holds %q", name, r)
				}
			}
		}
	}
}

func TestDashboard_PanesGolden(t *testing.T) {
	for _, pane := range []string{"2", "3", "4", "5", "6", "7", "8", "d", "l", "/", "?", "q"} {
		for _, size := range [][2]int{{80, 24}, {120, 40}} {
			d := newTestDashboard(late(), size[0], size[1], nil)
			switch press(d, pane); pane {
			case "l":
				press(d, "l")
			case "/":
				press(d, "i", "n", "f")
			}
			tuitest.Golden(t, fmt.Sprintf("key-%s-%dx%d", keyName(pane), size[0], size[1]), d.View())
		}
	}
}

func TestDashboard_SmallGolden(t *testing.T) {
	for _, size := range [][2]int{{59, 12}, {40, 6}, {30, 2}} {
		tuitest.Golden(t, fmt.Sprintf("small-%dx%d", size[0], size[1]), newTestDashboard(middle(), size[0], size[1], nil).View())
	}
}

func press(d *dashboard, keys ...string) tea.Cmd {
	var cmd tea.Cmd
	for _, k := range keys {
		message := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(k)}
		switch k {
		case "ctrl+c":
			message = tea.KeyMsg{Type: tea.KeyCtrlC}
		case "enter":
			message = tea.KeyMsg{Type: tea.KeyEnter}
		case "esc":
			message = tea.KeyMsg{Type: tea.KeyEsc}
		case "down":
			message = tea.KeyMsg{Type: tea.KeyDown}
		case "backspace":
			message = tea.KeyMsg{Type: tea.KeyBackspace}
		case "tab":
			message = tea.KeyMsg{Type: tea.KeyTab}
		}
		_, cmd = d.Update(message)
	}
	return cmd
}

// keyName returns a key as a part of a file's name.
func keyName(k string) string {
	switch k {
	case "?":
		return "help"
	case "q":
		return "leave"
	case "/":
		return "filter"
	}
	return k
}
