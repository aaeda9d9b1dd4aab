package tui

import (
	"slices"

	"exoshift/tui/pane"
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

// shown are the screens that there are, by their places among all: those on which nothing is asked are left out.
func (s *shell) shown() []int {
	var shown []int
	for i, sheet := range s.sheets {
		if !questions(sheet.screen) || i == s.current || len(s.talk.fields(sheet.screen)) > 0 {
			shown = append(shown, i)
		}
	}
	return shown
}

// questions tells whether something is asked on a screen.
func questions(screen wizard.Screen) bool { return screen != checksScreen && screen != reviewScreen }

// grant does what the page in front wants of the wizard.
func (s *shell) grant() tea.Cmd {
	wish := s.talk.wish
	s.talk.wish = nil
	switch w := wish.(type) {
	case wantAhead:
		return s.step(1)
	case wantBack:
		return s.step(-1)
	case wantGo:
		return s.seek(w.key)
	case wantFinish:
		s.outcome.Go = w.goes
		return tea.Quit
	}
	return nil
}

// step goes to the screen before or after; before the first one there is nothing but leaving.
func (s *shell) step(by int) tea.Cmd {
	shown := s.shown()
	to := slices.Index(shown, s.current) + by
	switch {
	case to < 0:
		s.menu = &quitMenu{}
		return nil
	case to >= len(shown):
		return nil
	}
	return s.jump(shown[to])
}

// jump goes to a screen: backwards always, forward as far as nothing is red.
func (s *shell) jump(to int) tea.Cmd {
	if to == s.current {
		return nil
	}
	if ok := s.page().Leave(); to > s.current && !ok {
		return nil
	}
	if obstacle, found := s.obstacle(to); found {
		s.notice = s.theme.Mark(pane.Failed) + " something here has to be put right first"
		if !questions(s.sheets[obstacle].screen) {
			s.notice = s.theme.Mark(pane.Running) + " everything is checked first; enter goes on then"
		}
		cmd := s.enter(obstacle)
		s.selectRed()
		return cmd
	}
	return s.enter(to)
}

// obstacle returns the first screen with something red on the way to another one. What turned red behind those who go
// on stops them where the questions end.
func (s *shell) obstacle(to int) (screen int, found bool) {
	first := s.current + 1
	if !questions(s.sheets[to].screen) {
		first = 0
	}
	for i := first; i < to; i++ {
		if i != s.current && slices.Contains(s.shown(), i) && s.red(i) {
			return i, true
		}
	}
	return 0, false
}

// red tells whether a screen is in the way of those who jump over it.
func (s *shell) red(i int) bool {
	sheet := s.sheets[i]
	if questions(sheet.screen) {
		return len(s.talk.blocking(sheet.screen)) > 0
	}
	mark := sheet.page.Mark()
	return mark != pane.OK && mark != pane.Warn
}

// selectRed has everything told that is red on the screen in front, and selects the first of it.
func (s *shell) selectRed() {
	screen := s.sheets[s.current].screen
	blocking := s.talk.blocking(screen)
	s.talk.tell(screen)
	if len(blocking) > 0 {
		s.point(blocking[0].Field)
	}
}

// point selects a field of the screen in front.
func (s *shell) point(key string) {
	if seeker, can := s.page().(seeker); can {
		seeker.Seek(key)
	}
}

// seek goes to the screen of a field and selects it.
func (s *shell) seek(key string) tea.Cmd {
	field, _ := s.talk.asking.of(key)
	i := slices.IndexFunc(s.sheets, func(sheet sheet) bool { return sheet.screen == field.Screen })
	if i < 0 {
		return nil
	}
	s.talk.asked[field.Key] = true
	var cmd tea.Cmd
	if i != s.current {
		s.page().Leave()
		cmd = s.enter(i)
	}
	s.point(key)
	return cmd
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
