package wizard

import (
	"slices"

	"exoshift/tui/theme"
	"exoshift/tui/wizard/page"
	"exoshift/wizard"
	"exoshift/wizard/session"

	tea "github.com/charmbracelet/bubbletea"
)

// navigator opens the pages of the wizard.
type navigator struct{ *model }

// listShown returns the indices of all screens but those on which nothing is asked.
func (s navigator) listShown() []int {
	var shown []int
	for i, sheet := range s.pages {
		if i == s.current || session.IsPageShown(s.session.Session, sheet.screen) {
			shown = append(shown, i)
		}
	}
	return shown
}

// handleIntent runs what the current page requested.
func (s navigator) handleIntent() tea.Cmd {
	intent := s.session.Intent
	s.session.Intent = nil
	switch w := intent.(type) {
	case page.NextIntent:
		return s.moveBy(1)
	case page.PreviousIntent:
		return s.moveBy(-1)
	case page.FieldIntent:
		return s.openField(w.Key)
	case page.FinishIntent:
		s.outcome.Confirmed = w.Install
		return tea.Quit
	}
	return nil
}

// Before the first screen there is only the quit menu.
func (s navigator) moveBy(by int) tea.Cmd {
	shown := s.listShown()
	to := slices.Index(shown, s.current) + by
	switch {
	case to < 0:
		s.openQuitDialog()
		return nil
	case to >= len(shown):
		return nil
	}
	return s.openScreen(shown[to])
}

// openScreen allows going back always, and forward up to the first screen with errors.
func (s navigator) openScreen(to int) tea.Cmd {
	if to == s.current {
		return nil
	}
	if ok := s.currentPage().Close(); to > s.current && !ok {
		return nil
	}
	if obstacle, found := s.findBlockingScreen(to); found {
		s.notice = s.theme.Mark(theme.Failed) + " fix the errors on this screen first"
		if !session.HasQuestions(s.pages[obstacle].screen) {
			s.notice = s.theme.Mark(theme.Running) + " waiting for the lookups; then press enter"
		}
		cmd := s.showPage(obstacle)
		s.selectFirstError()
		return cmd
	}
	return s.showPage(to)
}

// findBlockingScreen returns the first screen with errors on the way to another one. Errors on screens that were passed already
// block only where the questions end.
func (s navigator) findBlockingScreen(to int) (screen int, found bool) {
	first := s.current + 1
	if !session.HasQuestions(s.pages[to].screen) {
		first = 0
	}
	for i := first; i < to; i++ {
		if i != s.current && slices.Contains(s.listShown(), i) && s.isBlocking(i) {
			return i, true
		}
	}
	return 0, false
}

func (s navigator) isBlocking(i int) bool {
	sheet := s.pages[i]
	if session.HasQuestions(sheet.screen) {
		return len(s.session.ScreenErrors(sheet.screen)) > 0
	}
	mark := sheet.page.Mark()
	return mark != theme.OK && mark != theme.Warn
}

// selectFirstError shows all errors of the current screen and selects the first one.
func (s navigator) selectFirstError() {
	screen := s.pages[s.current].screen
	blocking := s.session.ScreenErrors(screen)
	s.session.TouchErrors(screen)
	if len(blocking) > 0 {
		s.selectField(blocking[0].Field)
	}
}

func (s navigator) selectField(key string) {
	if seeker, can := s.currentPage().(page.Focuser); can {
		seeker.Focus(key)
	}
}

func (s navigator) openField(key string) tea.Cmd {
	field, _ := s.session.FindField(key)
	i := slices.IndexFunc(s.pages, func(sheet pageState) bool { return sheet.screen == field.Screen })
	if i < 0 {
		return nil
	}
	s.session.Request(field.Key)
	var cmd tea.Cmd
	if i != s.current {
		s.currentPage().Close()
		cmd = s.showPage(i)
	}
	s.selectField(key)
	return cmd
}

func (s navigator) screenTitle(i int) string {
	switch screen := s.pages[i].screen; screen {
	case wizard.Network:
		return "Network"
	case wizard.Syn:
		return "Syn"
	default:
		return session.PageTitle(screen)
	}
}
