package tui

import (
	"strconv"
	"strings"

	"exoshift/tui/pane"
	"exoshift/wizard"

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
	if s.talk == nil || s.menu != nil || s.help {
		return true
	}
	b, can := s.page().(broad)
	return can && b.Broad()
}

func (s *shell) body(c *canvas, l shellLayout) {
	switch {
	case s.menu != nil:
		c.draw(l.Main, quitView{s.theme, s.menu.quit, cleanText(s.talk.interview.Place, s.wizard.ASCII)})
	case s.talk == nil:
		c.draw(l.Main, s.start)
	case s.help:
		c.draw(l.Main, helpText{s.theme, s.page().Help()})
	default:
		c.draw(l.Main, s.page())
		s.beside(c, l)
	}
}

// beside draws the help of what is selected, and below it what the page shows beside itself.
func (s *shell) beside(c *canvas, l shellLayout) {
	c.draw(l.Help, pane.Box{Theme: s.theme, Title: "help", Content: helpText{s.theme, s.page().Help()}})
	if a, can := s.page().(aside); can && !l.Aside.empty() {
		c.draw(l.Aside, asideView{a})
	}
}

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
	if words, bad := s.talk.draftState(); bad {
		right = t.Caution.Render(words)
	} else {
		right = t.Dim.Render(words)
	}
	room := max(width-ansi.StringWidth(left)-3, 0)
	right = pane.Truncate(right, room)
	return pane.Fit(pane.Fit(left, width-ansi.StringWidth(right)-1)+right+" ", width)
}

// strip names the screens and says how each is; the current one has brackets.
func (s *shell) strip(width int) string {
	if s.talk == nil {
		return pane.Fit("", width)
	}
	for _, brief := range []int{0, 1, 2} {
		line := s.stripLine(brief)
		if ansi.StringWidth(line) <= width || brief == 2 {
			return pane.Fit(line, width)
		}
	}
	return ""
}

// stripLine is the strip: 0 with all names, 1 with that of the current screen only, 2 with nothing but it.
func (s *shell) stripLine(brief int) string {
	var parts []string
	for i := range s.sheets {
		name, mark := strconv.Itoa(i+1)+" "+s.title(i), s.theme.Mark(s.mark(i))
		switch {
		case i == s.current:
			parts = append(parts, s.theme.Focus.Render("["+name+"]")+mark)
		case brief == 0:
			parts = append(parts, s.theme.Dim.Render(name)+" "+mark)
		case brief == 1:
			parts = append(parts, s.theme.Dim.Render(strconv.Itoa(i+1))+mark)
		}
	}
	return " " + strings.Join(parts, " ")
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
	return map[wizard.Screen]string{
		wizard.Access:  "How this program signs in to Exoscale, and where the cluster will be.",
		wizard.Cluster: "What the cluster is called and which release is installed.",
		wizard.Nodes:   "How many machines of which size the cluster has.",
		wizard.Network: "The address ranges inside the cluster, and how it is reached from outside.",
		wizard.Syn:     "Whether Project Syn looks after the cluster. Leave it empty if you do not know it.",
		wizard.Secrecy: "What the machines need to fetch the release and to let you in.",
		checksScreen:   "Whether everything is in place. Nothing is created yet.",
		reviewScreen:   "What will be created and what it costs. Nothing is created before you say so.",
	}[s.sheets[s.current].screen]
}
