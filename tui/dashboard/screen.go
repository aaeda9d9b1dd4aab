package dashboard

import (
	"fmt"

	"exoshift/tui/cells"
	"exoshift/tui/components"

	"github.com/charmbracelet/bubbles/key"
)

// View draws the whole screen without any I/O.
func (d *dashboard) View() string {
	if d.width <= 0 || d.height <= 0 {
		return ""
	}
	screen := d.newScreen().render()
	if d.options.ASCII {
		screen = cells.ToASCII(screen)
	}
	return d.attention.signals.Link(screen, listLinks(d)...)
}

// screen is one frame: the places of its parts, and the panes that are drawn there.
type screen struct {
	*dashboard
	panes                  panes
	layout                 layout
	actionRect, noticeRect components.Rect // between the status and the body; either may be empty
}

const minNoticeHeight = 3

// newScreen divides the terminal. A pending action is put below the status, if the rest still has room, else in the place of the
// overview; so is the notice of a diagnosis, as much of it as fits.
func (d *dashboard) newScreen() screen {
	s := screen{dashboard: d, panes: d.panes()}
	action := s.panes.buildAction().Height(d.width)
	if d.height-action < components.MinHeight {
		action = 0
	}
	notice := min(s.computeNoticeHeight(), d.height-action-components.MinHeight)
	if notice < minNoticeHeight {
		notice = 0
	}
	s.layout = newLayout(d.width, d.height, layoutOptions{
		Single: d.nav.single, Journal: len(d.run.board.Journal) > 0, Between: action + notice,
	})
	s.actionRect, s.noticeRect = s.layout.Between.SplitTop(action)
	return s
}

// computeNoticeHeight returns the preferred height: 0 where a pane shows the same or covers everything.
func (s screen) computeNoticeHeight() int {
	compact := s.nav.single || s.width < components.MediumWidth
	if s.nav.details || compact && (s.nav.tab != overviewTab || s.help || s.hasDialog() || s.handover.open || s.list != nil) {
		return 0
	}
	return s.panes.buildNotice().Height(s.width)
}

func (s screen) hasDialog() bool { return s.leaveDialog != nil || s.approveDialog != nil }

// isCrowded reports whether a pending action takes the room of everything else.
func (s screen) isCrowded() bool {
	return s.actionRect.IsEmpty() && s.panes.buildAction().Height(s.width) > 0
}

// isBodyCovered reports whether one pane has the whole body, so that nothing is drawn between its parts.
func (s screen) isBodyCovered() bool {
	return s.help || s.hasDialog() || s.handover.open || s.list != nil ||
		s.layout.Mode == compact && (s.nav.details || s.nav.tab != overviewTab || s.isCrowded())
}

func (s screen) render() string {
	l, c := s.layout, components.Canvas{Width: s.width, Height: s.height}
	if l.Mode == plain {
		c.Draw(l.Body, s.buildPlain())
		return c.String()
	}
	c.Draw(l.Title, s.newTitle())
	c.Draw(l.Strip, s.panes.buildStrip())
	c.Draw(l.Status, s.panes.buildStatus())
	c.Draw(s.actionRect, s.panes.buildAction())
	c.Draw(s.noticeRect, s.panes.buildNotice())
	c.Draw(l.Keys, s.newKeyLine())
	c.Draw(l.Tabs, tabLine{s.newKeyLine()})
	for _, rule := range l.Rules {
		if overlaid := rule.Y > l.Body.Y && rule.Y < l.Body.Y+l.Body.H && s.isBodyCovered(); !overlaid {
			c.Draw(rule, components.Lines{s.theme.RenderRule(rule.W)})
		}
	}
	s.drawBody(&c)
	return c.String()
}

func (s screen) drawBody(c *components.Canvas) {
	body := s.layout.Body
	switch {
	case s.leaveDialog != nil:
		dialog := *s.leaveDialog
		dialog.Outcomes = s.listOutcomes()
		c.Draw(body, s.wrapFrame("leave", &dialog))
	case s.approveDialog != nil:
		c.Draw(body, s.wrapFrame("decision", s.approveDialog))
	case s.help:
		c.Draw(body, s.wrapFrame("help", s.newHelp()))
	case s.list != nil:
		c.Draw(body, s.wrapFrame(s.list.Title, s.list))
	case s.handover.open:
		c.Draw(body, s.wrapFrame("hand-over", s.handover.build()))
	case s.layout.Mode == compact:
		s.drawCompact(c)
	case s.layout.Mode == medium:
		s.drawMedium(c)
	default:
		s.drawWide(c)
	}
}

// wrapFrame puts what covers other panes into a box, or on a compact screen between margins.
func (s screen) wrapFrame(title string, content components.View) components.View {
	if s.layout.Mode == compact {
		return components.Margin{Content: content}
	}
	return components.Box{Theme: s.theme, Title: title, Focused: true, Content: content}
}

func (s screen) drawCompact(c *components.Canvas) {
	l, body := s.layout, s.layout.Body
	switch {
	case s.nav.details:
		c.Draw(body, components.Margin{Content: s.panes.buildFailure()})
	case s.nav.tab != overviewTab:
		s.drawTarget(c, body, s.nav.tab, components.Margin{Content: s.panes.buildTab(s.nav.tab)})
	case s.isCrowded():
		c.Draw(components.Rect{X: body.X, Y: body.Y - 1, W: body.W, H: body.H + 1}, s.panes.buildAction()) // which begins with a rule
	default:
		c.Draw(l.Main, components.Margin{Content: s.panes.buildOverview(!s.noticeRect.IsEmpty())})
		s.drawTarget(c, l.Log, logTab, components.Margin{Content: s.panes.buildEvents()})
	}
}

func (s screen) drawMedium(c *components.Canvas) {
	main := s.layout.Main
	if s.nav.tab == logTab {
		main.H += s.layout.Log.H
	} else {
		s.drawBox(c, s.layout.Log, logTab, "events", s.panes.buildEvents())
	}
	switch {
	case s.nav.details:
		c.Draw(main, s.wrapFrame(s.formatFailureTitle(), s.panes.buildFailure()))
	case s.nav.tab == overviewTab:
		s.drawBox(c, main, stepsTab, "steps", s.panes.buildSteps())
	case s.nav.tab == logTab && s.nav.journal:
		s.drawBox(c, main, logTab, journalTitle, s.panes.buildJournal())
	case s.nav.tab == logTab:
		s.drawBox(c, main, logTab, "events", s.panes.buildEvents())
	default:
		s.drawBox(c, main, s.nav.tab, s.nav.name(s.nav.tab), s.panes.buildTab(s.nav.tab))
	}
	s.drawCluster(c)
}

func (s screen) drawWide(c *components.Canvas) {
	l := s.layout
	if s.nav.details {
		c.Draw(l.Main, s.wrapFrame(s.formatFailureTitle(), s.panes.buildFailure()))
	} else {
		s.drawBox(c, l.Main, stepsTab, "steps", s.panes.buildSteps())
	}
	s.drawCluster(c)
	s.drawBox(c, l.Operators, operatorsTab, "operators", s.panes.buildOperators())
	s.drawBox(c, l.Cloud, cloudTab, s.nav.name(cloudTab), s.panes.buildCloud())
	s.drawBox(c, l.Log, logTab, "events", s.panes.buildEvents())
	s.drawBox(c, l.Journal, logTab, journalTitle, s.panes.buildJournal())
}

func (s screen) formatFailureTitle() string {
	if s.panes.hasFailed() {
		return "failure"
	}
	return "diagnosis"
}

// drawCluster draws bootstrap, etcd and nodes where the layout has them, or the overview instead. Where there is no box for the
// operators, they get that of the bootstrap once it has ended, and the applications of Project Syn replace both.
func (s screen) drawCluster(c *components.Canvas) {
	l, board := s.layout, s.run.board
	s.drawBox(c, l.Overview, overviewTab, "overview", s.panes.buildOverview(!s.noticeRect.IsEmpty()))
	switch {
	case s.nav.day2:
		s.drawBox(c, l.Bootstrap, day2Tab, s.nav.name(day2Tab), s.panes.buildDay2())
	case len(board.Applications) > 0 && (s.nav.tab != synTab || !l.Operators.IsEmpty()):
		s.drawBox(c, l.Bootstrap, synTab, synTab.String(), s.panes.buildApplications())
	case s.run.isBootstrapped() && l.Operators.IsEmpty() && len(board.Operators) > 0:
		s.drawBox(c, l.Bootstrap, operatorsTab, "operators", s.panes.buildOperators())
	default:
		s.drawBox(c, l.Bootstrap, bootstrapTab, s.panes.buildCertificates().FormatTitle("bootstrap"), s.panes.buildBootstrap())
	}
	s.drawBox(c, l.Etcd, etcdTab, "etcd", s.panes.buildEtcd())
	s.drawBox(c, l.Nodes, nodesTab, "nodes", s.panes.buildNodes())
}

// The title names the key that selects the pane.
func (s screen) drawBox(c *components.Canvas, r components.Rect, t tab, title string, content components.View) {
	s.drawTarget(c, r, t, components.Box{
		Theme: s.theme, Title: fmt.Sprintf("%d %s", t+1, title), Focused: s.nav.tab == t && t != overviewTab, Content: content,
	})
}

// drawTarget draws a pane that a click selects.
func (s screen) drawTarget(c *components.Canvas, r components.Rect, t tab, content components.View) {
	c.Draw(r, components.Target{Theme: s.theme, Name: formatPane(t), Content: content})
}

func (s screen) newKeyLine() keyLine {
	return keyLine{
		theme: s.theme, keys: s.listUsableKeys(), nav: s.nav, list: s.list, handover: s.handover.open, notice: s.notice, tabs: s.layout.Tabs.IsEmpty(),
	}
}

// listUsableKeys returns the keys that do something at this size, for what is shown.
func (s screen) listUsableKeys() keyMap {
	keys := s.keys
	keys.Details.SetEnabled(s.nav.details || len(s.run.board.Findings) > 0 || s.panes.hasFailed())
	keys.Copy.SetEnabled(s.panes.buildAction().Text() != "")
	keys.Wide.SetEnabled(s.canShowAll())
	keys.Open.SetEnabled(s.opensList())
	if len(s.run.board.Journal) == 0 {
		keys.Log.SetHelp("l", "log")
	}
	if s.nav.count > synTab {
		keys.Tabs.SetHelp("1-9", keys.Tabs.Help().Desc)
	}
	if s.handover.open {
		keys.Handover.SetHelp("h", "dashboard")
	}
	return keys
}

// canShowAll reports whether the terminal has room for more than one pane.
func (s screen) canShowAll() bool {
	return s.width >= components.MediumWidth && s.height >= components.MinHeight
}

func (s screen) newHelp() help {
	groups := s.listUsableKeys().FullHelp()
	if s.list != nil {
		groups[0], groups[1] = s.list.FullHelp()
		groups[2] = []key.Binding{s.keys.Help, s.keys.Mouse, s.keys.Redraw}
	}
	return newHelp(s.theme, groups, s.helpOffset)
}

func (d *dashboard) panes() panes {
	return panes{
		theme: d.theme, run: d.run, nav: d.nav, now: d.run.now(), wall: d.options.Wall(), resume: d.options.ResumeCommand,
		approves: d.keys.Approve.Enabled(), isLarge: d.width >= components.MediumWidth,
	}
}

func (d *dashboard) newTitle() title { return title{d.theme, d.run, d.options} }
