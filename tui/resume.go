package tui

import (
	"slices"

	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

// openAtFirst opens the first screen, or for somebody who goes on the first one with a question that is open.
func (s *shell) openAtFirst() tea.Cmd {
	screens := s.shown()
	if !s.talk.interview.Resumed {
		return s.enter(screens[0])
	}
	for i := range s.sheets {
		s.sheets[i].seen = s.answered(s.sheets[i].screen)
	}
	for _, i := range screens {
		if open := s.talk.blocking(s.sheets[i].screen); questions(s.sheets[i].screen) && len(open) > 0 {
			cmd := s.enter(i)
			s.point(open[0].Field)
			return cmd
		}
	}
	return s.enter(screens[0])
}

// answered tells whether somebody has answered a question of a screen.
func (s *shell) answered(screen wizard.Screen) bool {
	return slices.ContainsFunc(s.talk.asking.screens[screen], func(f wizard.Field) bool {
		return s.talk.answers.Origin(f.Key) == wizard.Typed
	})
}
