package tui

import (
	"slices"

	"exoshift/tui/cells"
	"exoshift/tui/theme"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// quitMenu asks before leaving an interview; its first choice, the default, is to go back.
type quitMenu struct{ quit bool }

func (s *wizardModel) handleMenuKey(k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, s.keys.Leave), key.Matches(k, s.keys.Accept) && s.menu.quit:
		s.menu = nil
		return tea.Quit
	case key.Matches(k, s.keys.Accept), key.Matches(k, s.keys.Back), string(k.Runes) == "q":
		s.menu = nil
	case key.Matches(k, s.keys.Up), key.Matches(k, s.keys.Down):
		s.menu.quit = !s.menu.quit
	}
	return nil
}

type quitView struct {
	theme       theme.Theme
	quit        bool
	draftDir    string // folder of the draft; empty if the answers are not saved
	zoneRunning bool   // a connectivity check runs on a machine in the zone
}

func (v quitView) View(width, height int) string {
	choices, stay, leave := leaveView{theme: v.theme}, "go back (default)", "save and quit"
	if v.draftDir == "" {
		leave = "quit"
	}
	title := " " + v.theme.Bold.Render("Leave the wizard?")
	lines := []string{"", title, "", choices.renderChoice(stay, !v.quit), choices.renderChoice(leave, v.quit), ""}
	lines = append(lines, cells.Wrap(v.formatOutcome(), " ", min(width, 90))...)
	lines = append(lines, "", " "+v.theme.Dim.Render("enter chooses, esc goes back, ctrl+c leaves"))
	if len(lines) > height {
		lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	}
	if height < 3 {
		lines = lines[1:]
	}
	return cells.Fill(lines, width, height)
}

func (v quitView) formatOutcome() string {
	if v.zoneRunning {
		v.zoneRunning = false
		return "The machine in the zone is deleted first, which may take a minute. " + v.formatOutcome()
	}
	if v.draftDir == "" {
		return "The answers are not kept. F9 writes them into a file, if you want to have them."
	}
	return "Your answers are kept in " + v.draftDir + ". The command that goes on with them is shown once you have left; to discard the draft, delete that folder."
}
