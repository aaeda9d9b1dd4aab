package tui

import (
	"fmt"
	"strings"

	"exoshift/tui/components"
	"exoshift/tui/components/run"
)

// View draws the whole screen without any I/O.
func (d *dashboard) View() string {
	if d.width <= 0 || d.height <= 0 {
		return ""
	}
	screen := d.renderScreen()
	if d.options.ASCII {
		return toASCII(screen)
	}
	return screen
}

func (d *dashboard) renderScreen() string {
	l, errand, notice := d.computeLayout()
	c := canvas{width: d.width, height: d.height}
	if l.Mode == Plain {
		c.draw(l.Body, d.buildPlain())
		return c.String()
	}
	c.draw(l.Title, components.Lines{d.renderTitle(l.Title.W)})
	c.draw(l.Strip, margin{run.Strip{Theme: d.theme, Steps: d.board.Steps}})
	c.draw(l.Status, d.buildRunStatus())
	c.draw(errand, d.buildAction())
	c.draw(notice, d.buildNotice())
	c.draw(l.Keys, components.Lines{d.renderKeyLine(l.Keys.W)})
	for _, rule := range l.Rules {
		if overlaid := rule.Y > l.Body.Y && rule.Y < l.Body.Y+l.Body.H && d.isBodyCovered(l.Mode); !overlaid {
			c.draw(rule, components.Lines{d.theme.RenderRule(rule.W)})
		}
	}
	d.drawBody(&c, l)
	return c.String()
}

// computeLayout divides the screen. A pending action is put below the status, if the rest still has room, else in the place of
// the overview; so is the notice of a diagnosis, as much of it as fits.
func (d *dashboard) computeLayout() (l Layout, errand, notice Rect) {
	todo := d.buildAction().Height(d.width)
	if d.height-todo < plainHeight {
		todo = 0
	}
	wrong := min(d.computeNoticeHeight(), d.height-todo-plainHeight)
	if wrong < minNoticeHeight {
		wrong = 0
	}
	wrong = max(wrong, 0)
	l = NewLayout(d.width, d.height, LayoutOptions{Single: d.single, Journal: len(d.board.Journal) > 0, Between: todo + wrong})
	errand, notice = l.Between.splitTop(todo)
	return l, errand, notice
}

// isCrowded reports whether a pending action takes the room of everything else.
func (d *dashboard) isCrowded() bool {
	_, errand, _ := d.computeLayout()
	return errand.isEmpty() && d.buildAction().Height(d.width) > 0
}

const minNoticeHeight = 3

func (d *dashboard) buildNotice() run.Notice { return run.Notice{Diagnosis: d.buildDiagnosis()} }

// computeNoticeHeight returns the preferred height: 0 where a pane shows the same or covers everything.
func (d *dashboard) computeNoticeHeight() int {
	compact := d.single || d.width < mediumWidth
	if d.details || compact && (d.tab != overviewTab || d.help || d.hasDialog() || d.handoverState.open) {
		return 0
	}
	return d.buildNotice().Height(d.width)
}

func (d *dashboard) hasDialog() bool { return d.menu != nil || d.decision != nil }

// isBodyCovered reports whether one pane has the whole body, so that nothing is drawn between its parts.
func (d *dashboard) isBodyCovered(mode Mode) bool {
	return d.help || d.hasDialog() || d.handoverState.open || mode == Compact && (d.details || d.tab != overviewTab || d.isCrowded())
}

func (d *dashboard) drawBody(c *canvas, l Layout) {
	switch {
	case d.menu != nil:
		c.draw(l.Body, d.wrapFrame(l, "leave", true, d.buildLeaveView()))
	case d.decision != nil:
		c.draw(l.Body, d.wrapFrame(l, "decision", true, d.decision))
	case d.help:
		c.draw(l.Body, d.wrapFrame(l, "help", true, d.buildHelp()))
	case d.handoverState.open:
		c.draw(l.Body, d.wrapFrame(l, "hand-over", true, d.buildReport()))
	case l.Mode == Compact:
		d.drawCompact(c, l)
	case l.Mode == Medium:
		d.drawMedium(c, l)
	default:
		d.drawWide(c, l)
	}
}

// wrapFrame puts a pane into a box, or on a compact screen between margins.
func (d *dashboard) wrapFrame(l Layout, title string, focused bool, content components.View) components.View {
	if l.Mode == Compact {
		return margin{content}
	}
	return components.Box{Theme: d.theme, Title: title, Focused: focused, Content: content}
}

func (d *dashboard) drawCompact(c *canvas, l Layout) {
	switch {
	case d.details:
		c.draw(l.Body, margin{d.buildFailure()})
	case d.tab != overviewTab:
		c.draw(l.Body, margin{d.buildSelected()})
	case d.isCrowded():
		c.draw(Rect{l.Body.X, l.Body.Y - 1, l.Body.W, l.Body.H + 1}, d.buildAction()) // which begins with a rule
	default:
		c.draw(l.Main, margin{d.buildOverview(d.hasNotice())})
		c.draw(l.Log, margin{d.buildEvents()})
	}
}

func (d *dashboard) drawMedium(c *canvas, l Layout) {
	main := l.Main
	if d.tab == logTab {
		main.H += l.Log.H
	} else {
		d.drawBox(c, l.Log, logTab, "events", d.buildEvents())
	}
	switch {
	case d.details:
		c.draw(main, d.wrapFrame(l, d.formatFailureTitle(), true, d.buildFailure()))
	case d.tab == overviewTab:
		d.drawBox(c, main, stepsTab, "steps", d.buildSteps())
	case d.tab == logTab:
		d.drawBox(c, main, logTab, d.formatLogTitle(), d.buildLog())
	default:
		d.drawBox(c, main, d.tab, d.tab.String(), d.buildSelected())
	}
	d.drawCluster(c, l)
}

func (d *dashboard) formatFailureTitle() string {
	if len(d.buildRunStatus().ListFailed()) > 0 {
		return "failure"
	}
	return "diagnosis"
}

func (d *dashboard) hasNotice() bool {
	_, _, notice := d.computeLayout()
	return !notice.isEmpty()
}

// drawCluster draws bootstrap, etcd and nodes where the layout has them, or the overview instead. Where there is no box for the
// operators, they get that of the bootstrap once it has ended, and the applications of Project Syn replace both.
func (d *dashboard) drawCluster(c *canvas, l Layout) {
	d.drawBox(c, l.Overview, overviewTab, "overview", d.buildOverview(d.hasNotice()))
	switch {
	case len(d.board.Applications) > 0 && (d.tab != synTab || !l.Operators.isEmpty()):
		d.drawBox(c, l.Bootstrap, synTab, synTab.String(), d.buildApplications())
	case d.isBootstrapped() && l.Operators.isEmpty() && len(d.board.Operators) > 0:
		d.drawBox(c, l.Bootstrap, operatorsTab, "operators", d.buildOperators())
	default:
		d.drawBox(c, l.Bootstrap, bootstrapTab, d.buildCertificates().FormatTitle("bootstrap"), d.buildBootstrap())
	}
	d.drawBox(c, l.Etcd, etcdTab, "etcd", d.buildEtcd())
	d.drawBox(c, l.Nodes, nodesTab, "nodes", d.buildNodes())
}

func (d *dashboard) drawWide(c *canvas, l Layout) {
	if d.details {
		c.draw(l.Main, d.wrapFrame(l, d.formatFailureTitle(), true, d.buildFailure()))
	} else {
		d.drawBox(c, l.Main, stepsTab, "steps", d.buildSteps())
	}
	d.drawCluster(c, l)
	d.drawBox(c, l.Operators, operatorsTab, "operators", d.buildOperators())
	d.drawBox(c, l.Cloud, cloudTab, "cloud", d.buildCloud())
	d.drawBox(c, l.Log, logTab, "events", d.buildEvents())
	d.drawBox(c, l.Journal, logTab, "journal of the bootstrap machine", d.buildJournal())
}

// The title names the key that selects the pane.
func (d *dashboard) drawBox(c *canvas, r Rect, t tab, title string, content components.View) {
	c.draw(r, components.Box{
		Theme: d.theme, Title: fmt.Sprintf("%d %s", t+1, title), Focused: d.tab == t && t != overviewTab, Content: content,
	})
}

// margin keeps a pane one cell away from the edges of the screen.
type margin struct{ content components.View }

func (m margin) View(width, height int) string {
	if width < 4 {
		return m.content.View(width, height)
	}
	lines := strings.Split(m.content.View(width-2, height), "\n")
	for i, line := range lines {
		lines[i] = " " + line + " "
	}
	return strings.Join(lines, "\n")
}
