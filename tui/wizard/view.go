package wizard

import (
	"slices"

	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/components/plan"
	"exoshift/tui/theme"
	"exoshift/tui/wizard/page"
	"exoshift/wizard/session"

	"github.com/charmbracelet/x/ansi"
)

// frame draws the wizard.
type frame struct{ *model }

// View draws the whole screen without any I/O.
func (s frame) View() string {
	if s.width <= 0 || s.height <= 0 {
		return ""
	}
	screen := s.renderScreen()
	if s.options.ASCII {
		return cells.ToASCII(screen)
	}
	return screen
}

func (s frame) renderScreen() string {
	l := newWizardLayout(s.width, s.height, s.isFullWidth())
	c := components.Canvas{Width: s.width, Height: s.height}
	c.Draw(l.Title, components.Lines{s.renderTitle(l.Title.W)})
	c.Draw(l.Strip, components.Lines{s.renderStrip(l.Strip.W)})
	for _, rule := range l.Rules {
		c.Draw(rule, components.Lines{s.theme.RenderRule(rule.W)})
	}
	c.Draw(l.Intro, components.Lines(cells.Wrap(s.formatIntro(), " ", l.Intro.W)))
	c.Draw(l.Keys, components.Lines{s.renderKeyLine(l.Keys.W)})
	s.drawBody(&c, l)
	return c.String()
}

func (s frame) isFullWidth() bool {
	if s.session == nil || s.quitDialog != nil || s.help || s.signInState != nil {
		return true
	}
	b, can := s.currentPage().(page.FullWidth)
	return can && b.IsFullWidth()
}

func (s frame) drawBody(c *components.Canvas, l wizardLayout) {
	switch {
	case s.quitDialog != nil:
		c.Draw(l.Main, s.buildQuitDialog())
	case s.signInState != nil:
		c.Draw(l.Main, signInView{s.theme, *s.signInState, s.options.Now().Sub(s.signInState.began)})
	case s.help:
		c.Draw(l.Main, scrolledHelp{s.buildHelp(), s.helpTop})
	case s.session == nil:
		c.Draw(l.Main, s.start)
	default:
		c.Draw(l.Main, s.currentPage())
		s.drawSide(c, l)
	}
}

func (s frame) drawSide(c *components.Canvas, l wizardLayout) {
	if l.Help.IsEmpty() {
		return
	}
	help := components.HelpText{Theme: s.theme, Text: s.currentPage().Help()}
	lines := len(help.RenderLines(l.Help.W-4)) + 2
	a, has := s.currentPage().(page.SidePanel)
	switch {
	case has:
		l.splitHelp(max(min(lines, l.Help.H*2/5), 6), minSideHeight)
		c.Draw(l.Side, sidePanelView{a})
	case s.width >= components.WideWidth && s.height >= components.WideHeight:
		l.splitHelp(lines, minArchitectureHeight)
		c.Draw(l.Side, components.Box{Theme: s.theme, Title: "cluster diagram", Content: s.buildPicture()})
	default:
		l.splitHelp(lines, 0)
	}
	c.Draw(l.Help, components.Box{Theme: s.theme, Title: "help", Content: help})
}

const (
	minSideHeight         = 6
	minArchitectureHeight = 16
)

type sidePanelView struct{ page.SidePanel }

func (v sidePanelView) View(width, height int) string { return v.RenderSide(width, height) }

func (s frame) renderTitle(width int) string {
	t := s.theme
	left := " " + t.Label.Render("OpenShift on Exoscale")
	if s.session == nil {
		return cells.Fit(left, width)
	}
	spec, right := s.session.Spec(), ""
	for _, part := range []string{spec.Cluster.ID, spec.Exoscale.Zone} {
		if part != "" {
			left += t.Dim.Render(" "+t.Dot+" ") + cells.SanitizeText(part, s.options.ASCII)
		}
	}
	if s.session.Interview.Rehearsal {
		left += "  " + t.Caution.Bold(true).Render("REHEARSAL")
	}
	room := max(width-ansi.StringWidth(left)-3, 0)
	words, bad := s.session.DescribeDraft()
	switch {
	case bad:
		right = t.Caution.Render(cells.Truncate(words, room))
	case ansi.StringWidth(words) <= room:
		right = t.Dim.Render(words)
	case words != "" && room >= 5:
		right = t.Dim.Render("saved")
	}
	return cells.Fit(cells.Fit(left, width-ansi.StringWidth(right)-1)+right+" ", width)
}

// computeMark returns Waiting before a screen was opened.
func (s frame) computeMark(i int) theme.Status {
	if !s.pages[i].seen {
		return theme.Waiting
	}
	if mark := s.pages[i].page.Mark(); i != s.current || mark == theme.Failed || mark == theme.Warn {
		return mark
	}
	return theme.Running
}

func (s frame) formatIntro() string {
	if s.session == nil {
		return ""
	}
	switch screen := s.pages[s.current].screen; screen {
	case session.ChecksPage:
		return "All requirements. Nothing is created yet."
	case session.ReviewPage:
		return "What will be created, and its cost. Nothing is created yet."
	default:
		return screen.Intro()
	}
}

// buildPicture shows only what belongs to screens that were opened.
func (s frame) buildPicture() components.View {
	return plan.Architecture{Theme: s.theme, Spec: s.session.Spec(), Answered: func(screen string) bool {
		return slices.ContainsFunc(s.pages, func(sheet pageState) bool { return string(sheet.screen) == screen && sheet.seen })
	}}
}

func (s frame) countHiddenHelp() int {
	room := newWizardLayout(s.width, s.height, true).Main
	return max(len(s.buildHelp().RenderLines(room.W))-room.H, 0)
}

func (s frame) buildHelp() components.HelpText {
	if s.session == nil {
		return components.HelpText{Theme: s.theme, Text: startHelp}
	}
	return components.HelpText{Theme: s.theme, Text: s.currentPage().Help() + "\n" + keysHelp}
}

// buildQuitDialog adds what follows if the operator leaves now.
func (s frame) buildQuitDialog() components.View {
	dialog, outcome := *s.quitDialog, "The answers are not saved. F9 exports them to a file."
	if path := cells.SanitizeText(s.session.Interview.DraftPath, s.options.ASCII); path != "" {
		outcome = "Your answers are saved in " + path + ". The command to resume is shown after you quit; to discard the draft, delete that folder."
	}
	if s.session.Checks.IsZoneLeft() {
		outcome = "The instance in the zone is deleted first, which may take a minute. " + outcome
	}
	dialog.Outcomes = []string{outcome}
	return &dialog
}
