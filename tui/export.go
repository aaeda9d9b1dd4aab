package tui

import (
	"exoshift/tui/theme"
)

func (s *wizardModel) startExport() {
	s.session.Saves.Export(func(path string, err error) {
		if err != nil {
			s.notice = s.theme.Mark(theme.Failed) + " " + sanitizeText(err.Error(), s.wizard.ASCII)
			return
		}
		s.notice = s.theme.Mark(theme.OK) + " answers file: " + sanitizeText(path, s.wizard.ASCII)
	})
}

func (s *wizardModel) handleCopied(m copiedMsg) {
	if m.err != nil {
		s.notice = s.theme.Mark(theme.Failed) + " not copied: " + sanitizeText(m.err.Error(), s.wizard.ASCII)
		return
	}
	s.notice = s.theme.Mark(theme.OK) + " given to the terminal's clipboard, if it has one: " + sanitizeText(m.text, s.wizard.ASCII)
}
