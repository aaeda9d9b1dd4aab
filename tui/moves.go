package tui

import (
	"exoshift/tui/pane"
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

// grant does what the page in front wants of the wizard.
func (s *shell) grant() tea.Cmd {
	wish := s.talk.wish
	s.talk.wish = nil
	switch w := wish.(type) {
	case wantAhead:
		return s.jump(s.current + 1)
	case wantBack:
		return s.back()
	case wantGo:
		return s.seek(w.key)
	case wantFinish:
		s.outcome.Go = w.goes
		return tea.Quit
	}
	return nil
}

// back goes to the screen before; before the first one there is nothing but leaving.
func (s *shell) back() tea.Cmd {
	if s.current == 0 {
		s.menu = &quitMenu{}
		return nil
	}
	return s.jump(s.current - 1)
}

// jump goes to a screen: backwards always, forward as far as nothing is red.
func (s *shell) jump(to int) tea.Cmd {
	if to < 0 || to >= len(s.sheets) || to == s.current {
		return nil
	}
	if ok := s.page().Leave(); to > s.current && !ok {
		return nil
	}
	for i := s.current + 1; i < to; i++ {
		if s.red(i) {
			s.notice = "first: " + s.title(i)
			to = i
		}
	}
	return s.enter(to)
}

// red tells whether a screen is in the way of those who jump over it.
func (s *shell) red(i int) bool {
	sheet := s.sheets[i]
	if sheet.screen.Title() != "" {
		return len(s.talk.blocking(sheet.screen)) > 0
	}
	mark := sheet.page.Mark()
	return mark != pane.OK && mark != pane.Warn
}

// seek goes to the screen of a field and selects it.
func (s *shell) seek(key string) tea.Cmd {
	screen := wizard.ScreenOf(key)
	for i, sheet := range s.sheets {
		if sheet.screen != screen {
			continue
		}
		var cmd tea.Cmd
		if i != s.current {
			s.page().Leave()
			cmd = s.enter(i)
		}
		if seeker, can := sheet.page.(seeker); can {
			seeker.Seek(key)
		}
		return cmd
	}
	return nil
}

// title is what a screen is called on the strip.
func (s *shell) title(i int) string {
	switch screen := s.sheets[i].screen; screen {
	case checksScreen:
		return "Checks"
	case reviewScreen:
		return "Review"
	case wizard.Network:
		return "Network"
	case wizard.Syn:
		return "Syn"
	default:
		return screen.Title()
	}
}

// exported is the end of writing the answers file.
type exported struct {
	path string
	err  error
}

// export writes the answers file.
func (s *shell) export() {
	answers, export := s.talk.answers.Copy(), s.talk.interview.Export
	if export == nil {
		return
	}
	s.talk.clerk.post(func() tea.Msg {
		path, err := export(answers)
		return exported{path, err}
	})
}

func (s *shell) hearExported(m exported) {
	if m.err != nil {
		s.notice = s.theme.Mark(pane.Failed) + " " + cleanText(m.err.Error(), s.wizard.ASCII)
		return
	}
	s.notice = s.theme.Mark(pane.OK) + " answers file: " + cleanText(m.path, s.wizard.ASCII)
}
