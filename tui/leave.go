package tui

import (
	"slices"

	"exoshift/tui/cells"
	"exoshift/tui/theme"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// leaveMenu asks before leaving a running installation; its first choice, the default, is to go back.
type leaveMenu struct{ stop bool }

func (d *dashboard) handleMenuKey(k tea.KeyMsg) tea.Cmd {
	switch {
	case k.Type == tea.KeyCtrlC, key.Matches(k, d.keys.Accept) && d.menu.stop:
		d.menu, d.stopping = nil, true
		d.options.Stop()
	case key.Matches(k, d.keys.Accept), key.Matches(k, d.keys.Back), key.Matches(k, d.keys.Leave):
		d.menu = nil
	case key.Matches(k, d.keys.Up), key.Matches(k, d.keys.Down), key.Matches(k, d.keys.Next), key.Matches(k, d.keys.Previous):
		d.menu.stop = !d.menu.stop
	}
	return nil
}

// leaveView draws the leave menu. The most important lines come first, should there be little room.
type leaveView struct {
	theme      theme.Theme
	stop       bool
	resources  string // what exists in the cloud
	continuing string // what goes on after leaving; may be empty
	resume     string
}

func (v leaveView) View(width, height int) string {
	t := v.theme
	lines := []string{
		"", " " + t.Bold.Render("The run is still going on. Leave?"), "",
		v.renderChoice("go back (default)", !v.stop), v.renderChoice("stop and keep everything", v.stop), "",
	}
	for _, sentence := range v.listOutcomes() {
		lines = append(lines, cells.Wrap(sentence, " ", min(width, 90))...)
	}
	lines = append(lines, "", " "+t.Dim.Render("enter chooses, esc goes back, ctrl+c stops"))
	if len(lines) > height {
		lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	}
	return cells.Fill(lines, width, height)
}

func (v leaveView) listOutcomes() []string {
	outcomes := []string{"Stopping waits for the calls in flight. Nothing is deleted: " + v.resources + "."}
	if v.continuing != "" {
		outcomes = append(outcomes, v.continuing+" in the cloud; new nodes then wait for their certificates until you resume.")
	}
	if v.resume != "" {
		outcomes = append(outcomes, "Resume with: "+v.resume)
	}
	return outcomes
}

func (v leaveView) renderChoice(text string, chosen bool) string {
	if chosen {
		return " " + v.theme.Cursor + " " + v.theme.Selected.Render(" "+text+" ")
	}
	return "    " + text
}
