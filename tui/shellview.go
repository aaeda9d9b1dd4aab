package tui

import (
	"slices"

	"exoshift/tui/pane"

	"github.com/charmbracelet/x/ansi"
)

// View draws the whole screen from memory alone.
func (s *shell) View() string {
	if s.width <= 0 || s.height <= 0 {
		return ""
	}
	screen := s.screen()
	if s.wizard.ASCII {
		return toASCII(screen)
	}
	return screen
}

func (s *shell) screen() string {
	l := arrangeShell(s.width, s.height, s.broad())
	c := canvas{width: s.width, height: s.height}
	c.draw(l.Title, pane.Lines{s.titleLine(l.Title.W)})
	c.draw(l.Strip, pane.Lines{s.strip(l.Strip.W)})
	for _, rule := range l.Rules {
		c.draw(rule, pane.Lines{s.theme.Rule(rule.W)})
	}
	c.draw(l.Intro, pane.Lines(pane.Wrap(s.intro(), " ", l.Intro.W)))
	c.draw(l.Keys, pane.Lines{s.keyLine(l.Keys.W)})
	s.body(&c, l)
	return c.String()
}

// broad tells whether the page in front wants the whole width.
func (s *shell) broad() bool {
	if s.talk == nil || s.menu != nil || s.help || s.signing != nil {
		return true
	}
	b, can := s.page().(broad)
	return can && b.Broad()
}

func (s *shell) body(c *canvas, l shellLayout) {
	switch {
	case s.menu != nil:
		c.draw(l.Main, quitView{s.theme, s.menu.quit, cleanText(s.talk.interview.Place, s.wizard.ASCII), s.talk.travels > 0})
	case s.signing != nil:
		c.draw(l.Main, signInView{s.theme, *s.signing, s.wizard.Now().Sub(s.signing.began)})
	case s.help:
		c.draw(l.Main, scrolledHelp{s.overlay(), s.helpTop})
	case s.talk == nil:
		c.draw(l.Main, s.start)
	default:
		c.draw(l.Main, s.page())
		s.beside(c, l)
	}
}

// beside draws the help of what is selected, and below it what the page shows beside itself, or else the picture of
// what is being built.
func (s *shell) beside(c *canvas, l shellLayout) {
	if l.Help.empty() {
		return
	}
	help := helpText{s.theme, s.page().Help()}
	lines := len(help.lines(l.Help.W-4)) + 2
	a, has := s.page().(aside)
	switch {
	case has:
		l.below(max(min(lines, l.Help.H*2/5), 6), asideLeast)
		c.draw(l.Aside, asideView{a})
	case s.width >= wideWidth && s.height >= wideHeight:
		l.below(lines, architectureLeast)
		c.draw(l.Aside, pane.Box{Theme: s.theme, Title: "what is being built", Content: s.picture()})
	default:
		l.below(lines, 0)
	}
	c.draw(l.Help, pane.Box{Theme: s.theme, Title: "help", Content: help})
}

// Heights of what stands below the help.
const (
	asideLeast        = 6
	architectureLeast = 16
)

// asideView makes a view of what a page shows beside itself.
type asideView struct{ aside }

func (v asideView) View(width, height int) string { return v.Aside(width, height) }

// titleLine names the cluster and says whether the draft is saved.
func (s *shell) titleLine(width int) string {
	t := s.theme
	left := " " + t.Label.Render("OpenShift on Exoscale")
	if s.talk == nil {
		return pane.Fit(left, width)
	}
	spec, right := s.talk.spec(), ""
	for _, part := range []string{spec.Cluster.ID, spec.Exoscale.Zone} {
		if part != "" {
			left += t.Dim.Render(" "+t.Dot+" ") + cleanText(part, s.wizard.ASCII)
		}
	}
	if s.talk.interview.Rehearsal {
		left += "  " + t.Caution.Bold(true).Render("REHEARSAL")
	}
	room := max(width-ansi.StringWidth(left)-3, 0)
	words, bad := s.talk.draftState()
	switch {
	case bad:
		right = t.Caution.Render(pane.Truncate(words, room))
	case ansi.StringWidth(words) <= room:
		right = t.Dim.Render(words)
	case words != "" && room >= 5:
		right = t.Dim.Render("saved")
	}
	return pane.Fit(pane.Fit(left, width-ansi.StringWidth(right)-1)+right+" ", width)
}

// mark is how a screen is; nobody knows before it was seen.
func (s *shell) mark(i int) pane.Status {
	if !s.sheets[i].seen {
		return pane.Waiting
	}
	if mark := s.sheets[i].page.Mark(); i != s.current || mark == pane.Failed || mark == pane.Warn {
		return mark
	}
	return pane.Running
}

// intro says in a sentence what the screen in front is for.
func (s *shell) intro() string {
	if s.talk == nil {
		return ""
	}
	switch screen := s.sheets[s.current].screen; screen {
	case checksScreen:
		return "Whether everything is in place. Nothing is created yet."
	case reviewScreen:
		return "What will be created at what cost. Nothing exists yet."
	default:
		return screen.Intro()
	}
}

// picture is what is being built, as far as its screens were seen.
func (s *shell) picture() pane.View {
	return pane.Architecture{Theme: s.theme, Spec: s.talk.spec(), Answered: func(screen string) bool {
		return slices.ContainsFunc(s.sheets, func(sheet sheet) bool { return string(sheet.screen) == screen && sheet.seen })
	}}
}
