package tui

import (
	"slices"

	"exoshift/tui/pane"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// checkKeys are the keys of the screen of checks.
type checkKeys struct {
	documentKeys
	All, Watch, Skip, Second, Everything, Filter key.Binding
	Export, Copy, Request, Help, Redraw, Leave   key.Binding
}

func newCheckKeys(c Checking) checkKeys {
	bind := func(help, does string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, does))
	}
	keys := checkKeys{
		documentKeys: newDocumentKeys(),
		All:          bind("R", "all", "R"),
		Watch:        bind("w", "watch", "w"),
		Skip:         bind("x", "skip", "x"),
		Second:       bind("z", "zone", "z"),
		Everything:   bind("a", "show all", "a"),
		Filter:       bind("/", "filter", "/"),
		Export:       bind("e", "export", "e", "f9"),
		Copy:         bind("c", "copy the test", "c"),
		Request:      bind("f", "request", "f"),
		Help:         bind("?", "why", "?", "f1"),
		Redraw:       bind("ctrl+l", "draw again", "ctrl+l"),
		Leave:        bind("q", "leave", "q", "ctrl+c"),
	}
	keys.Accept.SetHelp("enter", "details")
	keys.Next.SetHelp("tab", "vantage")
	keys.Next.SetEnabled(len(c.Vantages) > 1)
	keys.Previous.SetEnabled(len(c.Vantages) > 1)
	keys.Second.SetEnabled(len(c.Vantages) > 1)
	if len(c.Vantages) > 1 {
		keys.Second.SetHelp("z", pane.VantageColumn(cleanText(c.Vantages[1], c.ASCII)))
	}
	keys.Skip.SetEnabled(c.Skip != nil)
	keys.Export.SetEnabled(c.Save != nil)
	return keys
}

// press takes a key: what leaves first, then what is open, then the screen's own.
func (s *checkScreen) press(k tea.KeyMsg) tea.Cmd {
	s.notice = ""
	switch {
	case key.Matches(k, s.keys.Redraw):
		return tea.ClearScreen
	case k.Type == tea.KeyCtrlC && s.asks():
		return s.leave()
	case k.Type == tea.KeyCtrlC:
		return s.wantLeave()
	case s.popup != nil:
		return s.pressPopup(k)
	case s.filtering:
		s.write(k)
		return nil
	case key.Matches(k, s.keys.Leave):
		return s.wantLeave()
	case s.look(k):
		return nil
	}
	return s.act(k)
}

// asks tells whether the question before leaving is open, or was answered.
func (s *checkScreen) asks() bool {
	q, is := s.popup.(*question)
	return s.leaving || is && q.accept == stopAndLeave
}

const stopAndLeave = "stop and leave"

// pressPopup gives a key to what is open. What a key opens in its place stays.
func (s *checkScreen) pressPopup(k tea.KeyMsg) tea.Cmd {
	open := s.popup
	if _, reads := open.(*reader); reads && key.Matches(k, s.keys.Export) {
		return s.save()
	}
	stays, cmd := open.press(k)
	if !stays && s.popup == open {
		s.popup = nil
	}
	return cmd
}

// wantLeave is free if nothing goes on; else it asks.
func (s *checkScreen) wantLeave() tea.Cmd {
	if !s.busy() || s.leaving {
		return s.leave()
	}
	s.popup = &question{
		theme: s.theme, title: "Checks are under way. Leave?", back: "go back", accept: stopAndLeave, yes: s.leave,
		text: "What was found out so far stays in the report. What was set up to look from elsewhere is taken away before the screen closes.",
	}
	return nil
}

// look takes the keys that only change what is seen; it tells whether k was one.
func (s *checkScreen) look(k tea.KeyMsg) bool {
	b, page := s.board, max(s.listRoom()-2, 1)
	moves := []struct {
		key key.Binding
		by  int
	}{{s.keys.Up, -1}, {s.keys.Down, 1}, {s.keys.PageUp, -page}, {s.keys.PageDown, page}, {s.keys.Home, -len(b.rows)}, {s.keys.End, len(b.rows)}}
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
		b.face(1)
	case key.Matches(k, s.keys.Previous):
		b.face(-1)
	case key.Matches(k, s.keys.Everything):
		b.all, b.choice = !b.all, nil
	case key.Matches(k, s.keys.Filter):
		s.filtering = true
	case k.Type == tea.KeyEsc:
		b.word, b.choice = "", nil
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

// act takes the keys that have something done.
func (s *checkScreen) act(k tea.KeyMsg) tea.Cmd {
	row := s.board.current()
	switch {
	case key.Matches(k, s.keys.All):
		return s.ask(s.board.facing, nil)
	case key.Matches(k, s.keys.Watch):
		return s.toggleWatch()
	case key.Matches(k, s.keys.Second):
		return s.ask(max(s.board.facing, 1), nil)
	case key.Matches(k, s.keys.Export):
		return s.save()
	case row == nil:
		return nil
	case key.Matches(k, s.keys.Again):
		return s.ask(s.board.focus(row), []string{row.check.ID})
	case key.Matches(k, s.keys.Skip):
		s.openSkip(row)
	case key.Matches(k, s.keys.Copy):
		return s.copyTest(row)
	}
	return nil
}

// write takes a key while the word of the filter is typed: letters are text.
func (s *checkScreen) write(k tea.KeyMsg) {
	word, typing := typedWord(s.board.word, k, s.checking.ASCII)
	s.board.word, s.board.choice, s.filtering = word, nil, typing
}
