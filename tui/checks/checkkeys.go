package checks

import (
	"slices"

	"exoshift/tui/app"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/components/preflight"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

type checkKeys struct {
	components.DocumentKeys
	All, Watch, Skip, Zone, ShowAll, Filter    key.Binding
	Export, Copy, Request, Help, Redraw, Leave key.Binding
	Mouse                                      key.Binding
}

func newCheckKeys(c Options) checkKeys {
	bind := func(help, does string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, does))
	}
	keys := checkKeys{
		DocumentKeys: components.NewDocumentKeys(),
		All:          bind("R", "all", "R"),
		Watch:        bind("w", "watch", "w"),
		Skip:         bind("x", "skip", "x"),
		Zone:         bind("z", "zone", "z"),
		ShowAll:      bind("a", "show all", "a"),
		Filter:       bind("/", "filter", "/"),
		Export:       bind("e", "export", "e", "f9"),
		Copy:         bind("c", "copy the command", "c"),
		Request:      bind("f", "request", "f"),
		Help:         bind("?", "why", "?", "f1"),
		Redraw:       bind("ctrl+l", "redraw", "ctrl+l"),
		Leave:        bind("q", "quit", "q", "ctrl+c"),
		Mouse:        bind("m", "mouse", "m"),
	}
	keys.Accept.SetHelp("enter", "details")
	keys.Next.SetHelp("tab", "vantage")
	keys.Next.SetEnabled(len(c.Sources) > 1)
	keys.Previous.SetEnabled(len(c.Sources) > 1)
	keys.Zone.SetEnabled(len(c.Sources) > 1)
	if len(c.Sources) > 1 {
		keys.Zone.SetHelp("z", preflight.FormatSource(cells.SanitizeText(c.Sources[1], c.ASCII)))
	}
	keys.Skip.SetEnabled(c.Skip != nil)
	keys.Export.SetEnabled(c.Save != nil)
	return keys
}

// Precedence: keys that leave, then an open popup, then the screen's own keys.
func (s *checkScreen) handleKey(k tea.KeyMsg) tea.Cmd {
	s.notice = ""
	switch {
	case key.Matches(k, s.keys.Redraw):
		return tea.ClearScreen
	case k.Type == tea.KeyCtrlC && s.isLeavePending():
		return s.cancelAndQuit()
	case k.Type == tea.KeyCtrlC:
		return s.requestLeave()
	case s.popups.Open != nil:
		return s.handlePopupKey(k)
	case s.filtering:
		s.handleFilterKey(k)
		return nil
	case key.Matches(k, s.keys.Leave):
		return s.requestLeave()
	case key.Matches(k, s.keys.Mouse):
		return app.ToggleMouse
	case s.handleViewKey(k):
		return nil
	}
	return s.handleActionKey(k)
}

func (s *checkScreen) isLeavePending() bool {
	q, is := s.popups.Open.(*components.Dialog)
	return s.runner.ending || is && q.Accept == stopAndLeave
}

const stopAndLeave = "stop and quit"

// Export works while a text is read, too.
func (s *checkScreen) handlePopupKey(k tea.KeyMsg) tea.Cmd {
	_, reads := s.popups.Open.(*components.TextPopup)
	_, details := s.popups.Open.(*Details)
	if (reads || details) && key.Matches(k, s.keys.Export) {
		return s.saveReport()
	}
	return s.popups.HandleKey(k)
}

// It asks for confirmation only while a run is in progress.
func (s *checkScreen) requestLeave() tea.Cmd {
	if !s.runner.isRunning() || s.runner.ending {
		return s.cancelAndQuit()
	}
	s.popups.Open = &components.Dialog{
		Theme: s.theme, Title: "Checks are running. Quit?", Back: "cancel", Accept: stopAndLeave, OnAccept: s.cancelAndQuit,
		Text: "The results so far stay in the report. Temporary resources are deleted before the screen closes.",
	}
	return nil
}

func (s *checkScreen) cancelAndQuit() tea.Cmd {
	s.popups.Open, s.filtering = nil, false
	return s.runner.end()
}

func (s *checkScreen) handleViewKey(k tea.KeyMsg) bool {
	b, page := s.board, max(checkView{s}.computeListHeight()-2, 1)
	moves := []struct {
		key key.Binding
		by  int
	}{{s.keys.Up, -1}, {s.keys.Down, 1}, {s.keys.PageUp, -page}, {s.keys.PageDown, page}, {s.keys.Home, -len(b.Rows)}, {s.keys.End, len(b.Rows)}}
	if i := slices.IndexFunc(moves, func(m struct {
		key key.Binding
		by  int
	}) bool {
		return key.Matches(k, m.key)
	}); i >= 0 {
		b.move(moves[i].by)
		return true
	}
	switch {
	case key.Matches(k, s.keys.Next):
		b.SwitchSource(1)
	case key.Matches(k, s.keys.Previous):
		b.SwitchSource(-1)
	case key.Matches(k, s.keys.ShowAll):
		b.ShowAll, b.CachedList = !b.ShowAll, nil
	case key.Matches(k, s.keys.Filter):
		s.filtering = true
	case k.Type == tea.KeyEsc:
		b.Filter.Clear()
		b.CachedList = nil
	case key.Matches(k, s.keys.Accept):
		s.openDetails()
	case key.Matches(k, s.keys.Help):
		s.openHelp()
	case key.Matches(k, s.keys.Request):
		s.openRequest()
	default:
		return false
	}
	return true
}

func (s *checkScreen) handleActionKey(k tea.KeyMsg) tea.Cmd {
	row := s.board.SelectedRow()
	switch {
	case key.Matches(k, s.keys.All):
		return s.requestRun(s.board.Source, nil)
	case key.Matches(k, s.keys.Watch):
		return s.runner.toggleWatch()
	case key.Matches(k, s.keys.Zone):
		return s.requestRun(max(s.board.Source, 1), nil)
	case key.Matches(k, s.keys.Export):
		return s.saveReport()
	case row == nil:
		return nil
	case key.Matches(k, s.keys.Again):
		return s.requestRun(s.board.ResolveSource(row), []string{row.Reported.ID})
	case key.Matches(k, s.keys.Skip):
		s.openSkip(row)
	case key.Matches(k, s.keys.Copy):
		return s.copyTest(row)
	}
	return nil
}

func (s *checkScreen) handleFilterKey(k tea.KeyMsg) {
	s.filtering = s.board.Filter.HandleKey(k, s.options.ASCII)
	s.board.CachedList = nil
}
