package tui

import (
	"context"
	"errors"
	"time"

	"exoshift/internal/fault"
	"exoshift/tui/pane"
	"exoshift/wizard"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// signing is a sign-in that goes on: somebody has to open a page.
type signing struct {
	turn   int
	page   string // "" before it is known
	began  time.Time
	cancel context.CancelFunc
}

// What becomes of a sign-in; what is not of this turn is dropped.
type (
	pageToOpen struct {
		turn int
		page string
	}
	signedIn struct {
		turn int
		err  error
	}
)

// maySignIn tells whether the screen in front knows of somebody at whom one can sign in.
func (s *shell) maySignIn() bool {
	if s.talk == nil || s.talk.interview.SignIn == nil || s.sheets[s.current].screen != wizard.Syn {
		return false
	}
	url, good := s.talk.answer("syn.lieutenantURL")
	return good && url != ""
}

// signIn begins a sign-in in the background.
func (s *shell) signIn() {
	s.signs++
	turn, spec, signIn, send := s.signs, s.talk.spec(), s.talk.interview.SignIn, s.send
	cmd, cancel := s.spawn(func(ctx context.Context) tea.Msg {
		return signedIn{turn, signIn(ctx, spec, func(page string) { send(pageToOpen{turn, page}) })}
	})
	s.signing = &signing{turn: turn, began: s.wizard.Now(), cancel: cancel}
	s.talk.run(cmd)
}

// hearSignIn takes what became of the sign-in.
func (s *shell) hearSignIn(message tea.Msg) {
	switch m := message.(type) {
	case pageToOpen:
		if s.signing != nil && s.signing.turn == m.turn {
			s.signing.page = cleanText(m.page, s.wizard.ASCII)
		}
	case signedIn:
		if s.signing == nil || s.signing.turn != m.turn {
			return
		}
		s.signing = nil
		if m.err != nil && !errors.Is(m.err, context.Canceled) && !fault.Is(m.err, fault.Cancelled) {
			s.notice = s.theme.Mark(pane.Failed) + " " + cleanText(m.err.Error()+hintBehind(m.err), s.wizard.ASCII)
			return
		}
		s.notice = s.theme.Mark(pane.OK) + " signed in"
		s.talk.again()
	}
}

// pressSignIn takes a key while somebody is waited for: c copies the page, esc ends the sign-in.
func (s *shell) pressSignIn(k tea.KeyMsg) tea.Cmd {
	switch {
	case string(k.Runes) == "c" && s.signing.page != "":
		return clip(s.wizard.Out, s.signing.page)
	case key.Matches(k, s.keys.Back):
		s.endSignIn()
	}
	return nil
}

// endSignIn ends a sign-in that goes on.
func (s *shell) endSignIn() {
	if s.signing != nil {
		s.signing.cancel()
		s.signing = nil
	}
}

// signInView shows the page that somebody has to open.
type signInView struct {
	theme   pane.Theme
	signing signing
	waited  time.Duration
}

// View draws the address whole, however many lines it takes.
func (v signInView) View(width, height int) string {
	t := v.theme
	lines := []string{"", " " + t.Mark(pane.Running) + " " + t.Active.Bold(true).Render("SIGN IN") + "  " + t.Dim.Render(pane.Short(v.waited)), ""}
	if v.signing.page == "" {
		return pane.Fill(append(lines, pane.Wrap("Asking where people sign in.", " ", width)...), width, height)
	}
	if height < 12 {
		lines = lines[1:2]
	}
	lines = append(lines, pane.Wrap("Open this page in a browser on this machine, and sign in there:", " ", width)...)
	lines = append(append(lines, ""), pane.Wrap(v.signing.page, " ", width)...)
	lines = append(append(lines, ""), pane.Wrap("c copies the address as a whole. This goes on by itself once you are signed in; esc ends it.", " ", width)...)
	return pane.Fill(lines, width, height)
}
