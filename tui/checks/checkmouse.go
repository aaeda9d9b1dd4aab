package checks

import (
	"strings"

	"exoshift/tui/app"
	"exoshift/tui/components/preflight"
	"exoshift/tui/theme"

	tea "github.com/charmbracelet/bubbletea"
)

// wheelLines is how far a notch of the wheel scrolls a text; the cursor moves by one.
const wheelLines = 3

// mouse is what clicks and the wheel do on the screen.
type mouse struct{ *checkScreen }

func (s mouse) handle(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case app.MouseMsg:
		s.setNotice(theme.OK, m.Describe())
	case app.ClickMsg:
		s.handleClick(m.Target)
	case app.WheelMsg:
		return s.handleWheel(m)
	}
	return nil
}

// handleClick selects a row; the one that is selected already is opened.
func (s mouse) handleClick(target string) {
	s.notice = ""
	id, is := strings.CutPrefix(target, preflight.EndpointTarget)
	if !is || s.popups.Open != nil || s.filtering {
		return
	}
	for i, row := range s.board.GetList().Rows {
		switch {
		case row.Check.ID != id:
		case i == s.board.FindSelected():
			s.openDetails()
			return
		default:
			s.board.SelectRow(row)
			return
		}
	}
}

func (s mouse) handleWheel(m app.WheelMsg) tea.Cmd {
	times := 1
	if s.popups.Open != nil {
		times = wheelLines
	}
	if s.filtering || s.runner.ending {
		return nil
	}
	var commands []tea.Cmd
	for _, k := range m.Keys(times) {
		commands = append(commands, s.handleKey(k))
	}
	return tea.Batch(commands...)
}
