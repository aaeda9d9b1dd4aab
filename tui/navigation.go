package tui

import (
	"slices"

	"exoshift/tui/pane"
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

// listShown are the screens that there are, by their places among all: those on which nothing is asked are left out.
func (s *wizardModel) listShown() []int {
	var shown []int
	for i, sheet := range s.pages {
		if !hasQuestions(sheet.screen) || i == s.current || len(s.session.listFields(sheet.screen)) > 0 {
			shown = append(shown, i)
		}
	}
	return shown
}

// hasQuestions tells whether something is asked on a screen.
func hasQuestions(screen wizard.Screen) bool { return screen != checksScreen && screen != reviewScreen }

// handleIntent does what the page in front wants of the wizard.
func (s *wizardModel) handleIntent() tea.Cmd {
	wish := s.session.intent
	s.session.intent = nil
	switch w := wish.(type) {
	case nextIntent:
		return s.moveBy(1)
	case previousIntent:
		return s.moveBy(-1)
	case fieldIntent:
		return s.openField(w.key)
	case finishIntent:
		s.outcome.Confirmed = w.install
		return tea.Quit
	}
	return nil
}

// moveBy goes to the screen before or after; before the first one there is nothing but leaving.
func (s *wizardModel) moveBy(by int) tea.Cmd {
	shown := s.listShown()
	to := slices.Index(shown, s.current) + by
	switch {
	case to < 0:
		s.menu = &quitMenu{}
		return nil
	case to >= len(shown):
		return nil
	}
	return s.openScreen(shown[to])
}

// openScreen goes to a screen: backwards always, forward as far as nothing is red.
func (s *wizardModel) openScreen(to int) tea.Cmd {
	if to == s.current {
		return nil
	}
	if ok := s.currentPage().Close(); to > s.current && !ok {
		return nil
	}
	if obstacle, found := s.findBlockingScreen(to); found {
		s.notice = s.theme.Mark(pane.Failed) + " something here has to be put right first"
		if !hasQuestions(s.pages[obstacle].screen) {
			s.notice = s.theme.Mark(pane.Running) + " everything is checked first; enter goes on then"
		}
		cmd := s.showPage(obstacle)
		s.selectFirstError()
		return cmd
	}
	return s.showPage(to)
}

// findBlockingScreen returns the first screen with something red on the way to another one. What turned red behind those who go
// on stops them where the questions end.
func (s *wizardModel) findBlockingScreen(to int) (screen int, found bool) {
	first := s.current + 1
	if !hasQuestions(s.pages[to].screen) {
		first = 0
	}
	for i := first; i < to; i++ {
		if i != s.current && slices.Contains(s.listShown(), i) && s.isBlocking(i) {
			return i, true
		}
	}
	return 0, false
}

// isBlocking tells whether a screen is in the way of those who jump over it.
func (s *wizardModel) isBlocking(i int) bool {
	sheet := s.pages[i]
	if hasQuestions(sheet.screen) {
		return len(s.session.listScreenErrors(sheet.screen)) > 0
	}
	mark := sheet.page.Mark()
	return mark != pane.OK && mark != pane.Warn
}

// selectFirstError has everything told that is red on the screen in front, and selects the first of it.
func (s *wizardModel) selectFirstError() {
	screen := s.pages[s.current].screen
	blocking := s.session.listScreenErrors(screen)
	s.session.markTouched(screen)
	if len(blocking) > 0 {
		s.selectField(blocking[0].Field)
	}
}

// selectField selects a field of the screen in front.
func (s *wizardModel) selectField(key string) {
	if seeker, can := s.currentPage().(focuser); can {
		seeker.Focus(key)
	}
}

// openField goes to the screen of a field and selects it.
func (s *wizardModel) openField(key string) tea.Cmd {
	field, _ := s.session.fieldIndex.find(key)
	i := slices.IndexFunc(s.pages, func(sheet pageState) bool { return sheet.screen == field.Screen })
	if i < 0 {
		return nil
	}
	s.session.asked[field.Key] = true
	var cmd tea.Cmd
	if i != s.current {
		s.currentPage().Close()
		cmd = s.showPage(i)
	}
	s.selectField(key)
	return cmd
}

// screenTitle is what a screen is called on the strip.
func (s *wizardModel) screenTitle(i int) string {
	switch screen := s.pages[i].screen; screen {
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
