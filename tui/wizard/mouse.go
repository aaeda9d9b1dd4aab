package wizard

import (
	"strconv"
	"strings"

	"exoshift/tui/app"
	"exoshift/tui/theme"
	"exoshift/tui/wizard/page"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// wheelLines is how far a notch of the wheel scrolls a text; a cursor moves by one.
const wheelLines = 3

// mouse is what clicks and the wheel do in the wizard.
type mouse struct{ *model }

func (s mouse) handle(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case app.MouseMsg:
		s.notice = s.theme.Mark(theme.OK) + " " + m.Describe()
	case app.WheelMsg:
		return s.handleWheel(m)
	case app.ClickMsg:
		return s.handleClick(m)
	}
	return nil
}

func (s mouse) handleWheel(m app.WheelMsg) tea.Cmd {
	times := wheelLines
	switch {
	case s.quitDialog != nil || s.signInState != nil || s.help && frame(s).countHiddenHelp() == 0:
		return nil
	case s.help:
	case s.session == nil && s.start.popups.Open == nil, s.session != nil && (s.inputMode() == page.ModeDefault || s.inputMode() == page.ModeText):
		times = 1
	}
	var commands []tea.Cmd
	for _, k := range m.Keys(times) {
		commands = append(commands, s.handleKey(k))
	}
	return tea.Batch(commands...)
}

// handleClick passes a click to what is open. One beside the help closes it.
func (s mouse) handleClick(m app.ClickMsg) tea.Cmd {
	s.notice = ""
	switch {
	case s.quitDialog != nil || s.signInState != nil:
	case s.help:
		s.help = false
	case s.session == nil:
		return s.clickStart(m.Target)
	default:
		return s.currentPage().Update(m)
	}
	return nil
}

// startTarget is the prefix of the target of an option, whose number follows.
const startTarget = "start:"

// clickStart selects an option; the selected one is opened.
func (s mouse) clickStart(target string) tea.Cmd {
	number, is := strings.CutPrefix(target, startTarget)
	i, err := strconv.Atoi(number)
	switch {
	case !is || err != nil || i >= len(s.start.options) || s.start.popups.Open != nil || s.start.opening:
	case s.start.cursor == i:
		return s.openInterview(s.start.options[i].ID)
	default:
		s.start.cursor = i
	}
	return nil
}

// isMouseKey reports whether a key switches the mouse: m where it is no text, alt+m anywhere.
func (s mouse) isMouseKey(k tea.KeyMsg) bool {
	switch {
	case !key.Matches(k, s.keys.Mouse) || k.Paste || s.signInState != nil || s.help:
		return false
	case k.Alt:
		return true
	case s.session == nil:
		return s.start.popups.Open == nil
	}
	return s.inputMode() == page.ModeReadOnly
}
