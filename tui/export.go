package tui

import (
	"exoshift/tui/app"
	"exoshift/tui/cells"
	"exoshift/tui/theme"
)

func (s *wizardModel) startExport() {
	s.session.Saves.Export(func(path string, err error) {
		if err != nil {
			s.notice = s.theme.Mark(theme.Failed) + " " + cells.SanitizeText(err.Error(), s.wizard.ASCII)
			return
		}
		s.notice = s.theme.Mark(theme.OK) + " answers file: " + cells.SanitizeText(path, s.wizard.ASCII)
	})
}

func (s *wizardModel) handleCopied(m app.CopiedMsg) {
	if m.Err != nil {
		s.notice = s.theme.Mark(theme.Failed) + " not copied: " + cells.SanitizeText(m.Err.Error(), s.wizard.ASCII)
		return
	}
	s.notice = s.theme.Mark(theme.OK) + " given to the terminal's clipboard, if it has one: " + cells.SanitizeText(m.Text, s.wizard.ASCII)
}
