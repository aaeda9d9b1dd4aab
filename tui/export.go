package tui

import (
	"exoshift/tui/pane"

	tea "github.com/charmbracelet/bubbletea"
)

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

func (s *shell) hearCopied(m copied) {
	if m.err != nil {
		s.notice = s.theme.Mark(pane.Failed) + " not copied: " + cleanText(m.err.Error(), s.wizard.ASCII)
		return
	}
	s.notice = s.theme.Mark(pane.OK) + " given to the terminal's clipboard, if it has one: " + cleanText(m.text, s.wizard.ASCII)
}
