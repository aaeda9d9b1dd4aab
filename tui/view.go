package tui

import (
	"fmt"
	"strings"

	"exoshift/tui/pane"
)

// View draws the whole screen from memory alone.
func (d *dashboard) View() string {
	if d.width <= 0 || d.height <= 0 {
		return ""
	}
	screen := d.screen()
	if d.options.ASCII {
		return toASCII(screen)
	}
	return screen
}

func (d *dashboard) screen() string {
	l, errand, notice := d.arrange()
	c := canvas{width: d.width, height: d.height}
	if l.Mode == Plain {
		c.draw(l.Body, d.plain())
		return c.String()
	}
	c.draw(l.Title, pane.Lines{d.title(l.Title.W)})
	c.draw(l.Strip, margin{pane.Strip{Theme: d.theme, Steps: d.board.Steps}})
	c.draw(l.Present, d.present())
	c.draw(errand, d.errand())
	c.draw(notice, d.notice())
	c.draw(l.Keys, pane.Lines{d.keyLine(l.Keys.W)})
	for _, rule := range l.Rules {
		if overlaid := rule.Y > l.Body.Y && rule.Y < l.Body.Y+l.Body.H && d.covers(l.Mode); !overlaid {
			c.draw(rule, pane.Lines{d.theme.Rule(rule.W)})
		}
	}
	d.body(&c, l)
	return c.String()
}

// arrange divides the screen. What somebody has to do is put below the present, if the rest still finds room, else in the
// place of the overview; so is what is wrong, as much of it as finds room.
func (d *dashboard) arrange() (l Layout, errand, notice Rect) {
	todo := d.errand().Height(d.width)
	if d.height-todo < plainHeight {
		todo = 0
	}
	wrong := min(d.noticeHeight(), d.height-todo-plainHeight)
	if wrong < noticeLeast {
		wrong = 0
	}
	wrong = max(wrong, 0)
	l = Arrange(d.width, d.height, Wish{Single: d.single, Journal: len(d.board.Journal) > 0, Between: todo + wrong})
	errand, notice = l.Between.top(todo)
	return l, errand, notice
}

// crowded tells whether somebody has to do something, and there is no room to say so but that of everything else.
func (d *dashboard) crowded() bool {
	_, errand, _ := d.arrange()
	return errand.empty() && d.errand().Height(d.width) > 0
}

// noticeLeast is how many lines a notice needs: a rule, the cause, what to do.
const noticeLeast = 3

func (d *dashboard) notice() pane.Notice { return pane.Notice{Diagnosis: d.diagnosis()} }

// noticeHeight is how many lines the notice would like to have: none where a pane tells the same or covers all.
func (d *dashboard) noticeHeight() int {
	compact := d.single || d.width < mediumWidth
	if d.details || compact && (d.tab != overviewTab || d.help || d.asks() || d.transfer.open) {
		return 0
	}
	return d.notice().Height(d.width)
}

// asks tells whether a question waits for its answer.
func (d *dashboard) asks() bool { return d.menu != nil || d.decision != nil }

// covers tells whether one pane has the whole body, so that nothing is drawn between its parts.
func (d *dashboard) covers(mode Mode) bool {
	return d.help || d.asks() || d.transfer.open || mode == Compact && (d.details || d.tab != overviewTab || d.crowded())
}

func (d *dashboard) body(c *canvas, l Layout) {
	switch {
	case d.menu != nil:
		c.draw(l.Body, d.framed(l, "leave", true, d.leaveView()))
	case d.decision != nil:
		c.draw(l.Body, d.framed(l, "decision", true, d.decision))
	case d.help:
		c.draw(l.Body, d.framed(l, "help", true, d.helpView()))
	case d.transfer.open:
		c.draw(l.Body, d.framed(l, "hand-over", true, d.handover()))
	case l.Mode == Compact:
		d.compact(c, l)
	case l.Mode == Medium:
		d.medium(c, l)
	default:
		d.wide(c, l)
	}
}

// framed puts a pane into a box, or on a compact screen between margins.
func (d *dashboard) framed(l Layout, title string, focused bool, content pane.View) pane.View {
	if l.Mode == Compact {
		return margin{content}
	}
	return pane.Box{Theme: d.theme, Title: title, Focused: focused, Content: content}
}

func (d *dashboard) compact(c *canvas, l Layout) {
	switch {
	case d.details:
		c.draw(l.Body, margin{d.trouble()})
	case d.tab != overviewTab:
		c.draw(l.Body, margin{d.chosen()})
	case d.crowded():
		c.draw(Rect{l.Body.X, l.Body.Y - 1, l.Body.W, l.Body.H + 1}, d.errand()) // which begins with a rule
	default:
		c.draw(l.Main, margin{d.overview(d.noticed())})
		c.draw(l.Log, margin{d.events()})
	}
}

func (d *dashboard) medium(c *canvas, l Layout) {
	main := l.Main
	if d.tab == logTab {
		main.H += l.Log.H
	} else {
		d.box(c, l.Log, logTab, "events", d.events())
	}
	switch {
	case d.details:
		c.draw(main, d.framed(l, d.troubleTitle(), true, d.trouble()))
	case d.tab == overviewTab:
		d.box(c, main, stepsTab, "steps", d.steps())
	case d.tab == logTab:
		d.box(c, main, logTab, d.logTitle(), d.log())
	default:
		d.box(c, main, d.tab, d.tab.String(), d.chosen())
	}
	d.cluster(c, l)
}

func (d *dashboard) troubleTitle() string {
	if len(d.present().Failed()) > 0 {
		return "failure"
	}
	return "diagnosis"
}

// noticed tells whether a notice is on the screen.
func (d *dashboard) noticed() bool {
	_, _, notice := d.arrange()
	return !notice.empty()
}

// cluster draws bootstrap, etcd and nodes where the layout has them, or the overview instead. Where there is no box for
// the operators, they take that of the bootstrap once it is over, and the applications of Project Syn take it from both.
func (d *dashboard) cluster(c *canvas, l Layout) {
	d.box(c, l.Overview, overviewTab, "overview", d.overview(d.noticed()))
	switch {
	case len(d.board.Applications) > 0 && (d.tab != synTab || !l.Operators.empty()):
		d.box(c, l.Bootstrap, synTab, synTab.String(), d.applications())
	case d.standing() && l.Operators.empty() && len(d.board.Operators) > 0:
		d.box(c, l.Bootstrap, operatorsTab, "operators", d.operators())
	default:
		d.box(c, l.Bootstrap, bootstrapTab, d.certificates().Title("bootstrap"), d.bootstrap())
	}
	d.box(c, l.Etcd, etcdTab, "etcd", d.etcd())
	d.box(c, l.Nodes, nodesTab, "nodes", d.nodes())
}

func (d *dashboard) wide(c *canvas, l Layout) {
	if d.details {
		c.draw(l.Main, d.framed(l, d.troubleTitle(), true, d.trouble()))
	} else {
		d.box(c, l.Main, stepsTab, "steps", d.steps())
	}
	d.cluster(c, l)
	d.box(c, l.Operators, operatorsTab, "operators", d.operators())
	d.box(c, l.Cloud, cloudTab, "cloud", d.cloud())
	d.box(c, l.Log, logTab, "events", d.events())
	d.box(c, l.Journal, logTab, "journal of the bootstrap machine", d.journalLog())
}

// box draws a pane in a box that names the key which chooses it.
func (d *dashboard) box(c *canvas, r Rect, t tab, title string, content pane.View) {
	c.draw(r, pane.Box{
		Theme: d.theme, Title: fmt.Sprintf("%d %s", t+1, title), Focused: d.tab == t && t != overviewTab, Content: content,
	})
}

// margin keeps a pane one cell away from the edges of the screen.
type margin struct{ content pane.View }

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
