package tui

import (
	"exoshift/tui/pane"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// quitMenu is the question before leaving an interview; its first choice, the default, is to go back.
type quitMenu struct{ quit bool }

func (s *shell) pressMenu(k tea.KeyMsg) tea.Cmd {
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

// quitView draws the question.
type quitView struct {
	theme pane.Theme
	quit  bool
	place string // folder of the draft
}

func (v quitView) View(width, height int) string {
	choices := leaveView{theme: v.theme}
	lines := []string{
		"", " " + v.theme.Bold.Render("Leave the wizard?"), "",
		choices.choice("go back (default)", !v.quit), choices.choice("save and quit", v.quit), "",
	}
	said := "Your answers are kept; start the program again to go on."
	if v.place != "" {
		said = "Your answers are kept in " + v.place + ". Start the program again to go on; to discard the draft, delete that folder."
	}
	lines = append(lines, pane.Wrap(said, " ", min(width, 90))...)
	lines = append(lines, "", " "+v.theme.Dim.Render("enter chooses, esc goes back, ctrl+c saves and quits"))
	if len(lines) > height {
		return pane.Fill(append(lines[3:5], lines[1]), width, height)
	}
	return pane.Fill(lines, width, height)
}
