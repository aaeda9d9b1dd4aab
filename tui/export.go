package tui

import (
	"exoshift/tui/pane"

	tea "github.com/charmbracelet/bubbletea"
)

type exportedMsg struct {
	path string
	err  error
}

func (s *wizardModel) startExport() {
	answers, export := s.session.answers.Copy(), s.session.interview.Export
	if export == nil {
		return
	}
	s.session.saveQueue.enqueue(func() tea.Msg {
		path, err := export(answers)
		return exportedMsg{path, err}
	})
}

func (s *wizardModel) handleExported(m exportedMsg) {
	if m.err != nil {
		s.notice = s.theme.Mark(pane.Failed) + " " + sanitizeText(m.err.Error(), s.wizard.ASCII)
		return
	}
	s.notice = s.theme.Mark(pane.OK) + " answers file: " + sanitizeText(m.path, s.wizard.ASCII)
}

func (s *wizardModel) handleCopied(m copiedMsg) {
	if m.err != nil {
		s.notice = s.theme.Mark(pane.Failed) + " not copied: " + sanitizeText(m.err.Error(), s.wizard.ASCII)
		return
	}
	s.notice = s.theme.Mark(pane.OK) + " given to the terminal's clipboard, if it has one: " + sanitizeText(m.text, s.wizard.ASCII)
}
