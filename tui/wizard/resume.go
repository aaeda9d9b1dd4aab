package wizard

import (
	"slices"

	"exoshift/wizard"
	"exoshift/wizard/session"

	tea "github.com/charmbracelet/bubbletea"
)

// openFirst opens the first screen, or in a resumed interview the first one with an open question.
func (s navigator) openFirst() tea.Cmd {
	screens := s.listShown()
	if !s.session.Interview.Resumed {
		return s.showPage(screens[0])
	}
	for i := range s.pages {
		s.pages[i].seen = s.isAnswered(s.pages[i].screen)
	}
	for _, i := range screens {
		if open := s.session.ScreenErrors(s.pages[i].screen); session.HasQuestions(s.pages[i].screen) && len(open) > 0 {
			cmd := s.showPage(i)
			s.selectField(open[0].Field)
			return cmd
		}
	}
	return s.showPage(screens[0])
}

// isAnswered reports whether the operator typed any answer of a screen; defaults do not count.
func (s navigator) isAnswered(screen wizard.Screen) bool {
	return slices.ContainsFunc(screen.ListFields(s.session.Spec()), func(f wizard.Field) bool {
		return s.session.Answers().Origin(f.Key) == wizard.Typed
	})
}
