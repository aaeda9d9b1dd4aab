package wizard

import (
	"context"
	"errors"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/text"
	"exoshift/tui/app"
	"exoshift/tui/cells"
	"exoshift/tui/theme"
	"exoshift/wizard"
	"exoshift/wizard/session"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// signInState is a sign-in that waits for the operator to open a page.
type signInState struct {
	generation int
	page       string // "" before it is known
	began      time.Time
	cancel     context.CancelFunc
}

// Messages of an earlier generation are dropped.
type (
	signInPageMsg struct {
		generation int
		page       string
	}
	signInEndedMsg struct {
		generation int
		err        error
	}
)

// signIn signs the operator in at Project Syn.
type signIn struct{ *model }

func (s signIn) isOffered() bool {
	return s.session != nil && s.pages[s.current].screen == wizard.Syn && session.CanSignIn(s.session.Session)
}

func (s signIn) start() {
	s.signInCount++
	generation, spec, run, send := s.signInCount, s.session.Spec(), s.session.Interview.SignIn, s.send
	cmd, cancel := s.spawn(func(ctx context.Context) tea.Msg {
		return signInEndedMsg{generation, run(ctx, spec, func(page string) { send(signInPageMsg{generation, page}) })}
	})
	s.signInState = &signInState{generation: generation, began: s.options.Now(), cancel: cancel}
	s.session.AddCommand(cmd)
}

func (s signIn) handleMsg(message tea.Msg) {
	switch m := message.(type) {
	case signInPageMsg:
		if s.signInState != nil && s.signInState.generation == m.generation {
			s.signInState.page = cells.SanitizeText(m.page, s.options.ASCII)
		}
	case signInEndedMsg:
		if s.signInState == nil || s.signInState.generation != m.generation {
			return
		}
		s.signInState = nil
		if m.err != nil && !errors.Is(m.err, context.Canceled) && !fault.Is(m.err, fault.Cancelled) {
			s.notice = s.theme.Mark(theme.Failed) + " " + cells.SanitizeText(m.err.Error()+fault.FormatHint(m.err), s.options.ASCII)
			return
		}
		s.notice = s.theme.Mark(theme.OK) + " signed in"
		s.session.Lookups.Repeat(func(q session.Lookup) bool { return q.Screen == wizard.Syn })
	}
}

// handleKey handles keys during a sign-in: c copies the page, esc cancels the sign-in.
func (s signIn) handleKey(k tea.KeyMsg) tea.Cmd {
	switch {
	case string(k.Runes) == "c" && s.signInState.page != "":
		return app.CopyToClipboard(s.options.Out, s.signInState.page)
	case key.Matches(k, s.keys.Back):
		s.stop()
	}
	return nil
}

func (s signIn) stop() {
	if s.signInState != nil {
		s.signInState.cancel()
		s.signInState = nil
	}
}

type signInView struct {
	theme  theme.Theme
	state  signInState
	waited time.Duration
}

// View never shortens the address, however many lines it takes.
func (v signInView) View(width, height int) string {
	t := v.theme
	lines := []string{"", " " + t.Mark(theme.Running) + " " + t.Active.Bold(true).Render("SIGN IN") + "  " + t.Dim.Render(text.FormatDuration(v.waited)), ""}
	if v.state.page == "" {
		return cells.Fill(append(lines, cells.Wrap("Getting the sign-in page.", " ", width)...), width, height)
	}
	if height < 12 {
		lines = lines[1:2]
	}
	lines = append(lines, cells.Wrap("Open this URL in a browser on this machine and sign in:", " ", width)...)
	lines = append(append(lines, ""), cells.Wrap(v.state.page, " ", width)...)
	lines = append(append(lines, ""), cells.Wrap("c copies the full URL. The wizard continues once you are signed in; esc cancels.", " ", width)...)
	return cells.Fill(lines, width, height)
}
