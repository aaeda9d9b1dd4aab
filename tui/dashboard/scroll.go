package dashboard

import (
	"exoshift/tui/components"
)

// scroll moves the pane in the focus by lines, or the log by events.
func (s screen) scroll(by int) {
	target := s.scrolledTab()
	var pane scrollable
	switch {
	case s.nav.details:
		target, pane = overviewTab, s.panes.buildFailure()
	case target == logTab:
		s.scrollLog(by)
		return
	default:
		pane, _ = s.panes.buildTab(target).(scrollable)
	}
	if pane == nil {
		return
	}
	width, height := s.focusSize()
	s.nav.offsets[target] = components.Scroll(s.nav.offsets[target], by, pane.CountLines(width), height)
}

func (s screen) scrollLog(by int) {
	_, height := s.focusSize()
	if s.nav.journal && s.nav.tab == logTab {
		s.nav.journalEnd = s.panes.buildJournal().Scroll(by, height)
		return
	}
	s.nav.logEnd = s.panes.buildEvents().Scroll(by, height)
}

// scrolledTab is the pane that the scroll keys move.
func (s screen) scrolledTab() tab {
	switch {
	case s.nav.tab != overviewTab:
		return s.nav.tab
	case s.layout.Mode == compact:
		return logTab
	}
	return stepsTab
}

// focusSize returns the inner size of the pane that the scroll keys move.
func (s screen) focusSize() (width, height int) {
	r := s.findFocusRect()
	if s.layout.Mode == compact {
		return r.W - 2, r.H
	}
	return r.W - 4, r.H - 2
}

func (s screen) findFocusRect() components.Rect {
	l := s.layout
	switch {
	case l.Mode == compact && !s.nav.details && s.nav.tab == overviewTab:
		return l.Log
	case l.Mode == compact:
		return l.Body
	case s.nav.details:
	case l.Mode == medium && s.scrolledTab() == logTab:
		l.Main.H += l.Log.H
	case l.Mode == wide:
		return s.findWideFocusRect()
	}
	return l.Main
}

func (s screen) findWideFocusRect() components.Rect {
	l := s.layout
	switch s.scrolledTab() {
	case nodesTab:
		return l.Nodes
	case operatorsTab:
		return l.Operators
	case cloudTab:
		return l.Cloud
	case synTab:
		return l.Bootstrap
	case bootstrapTab:
		if s.nav.day2 {
			return l.Bootstrap
		}
	case logTab:
		if s.nav.journal && !l.Journal.IsEmpty() {
			return l.Journal
		}
		return l.Log
	}
	return l.Main
}

// reportSize returns the inner size of the handover report.
func (s screen) reportSize() (width, height int) {
	body := s.layout.Body
	switch s.layout.Mode {
	case plain:
		return body.W, body.H - 1
	case compact:
		return body.W - 2, body.H
	}
	return body.W - 4, body.H - 2
}
