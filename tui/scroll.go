package tui

import (
	"exoshift/tui/pane"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// scrollable is a pane that may have more lines than fit.
type scrollable interface {
	pane.View
	Lines(width int) int
}

func (d *dashboard) scrollBy(k tea.KeyMsg) {
	_, height := d.focusSize()
	page := max(height-2, 1)
	switch {
	case key.Matches(k, d.keys.Up):
		d.scroll(-1)
	case key.Matches(k, d.keys.Down):
		d.scroll(1)
	case key.Matches(k, d.keys.PageUp):
		d.scroll(-page)
	case key.Matches(k, d.keys.PageDown):
		d.scroll(page)
	case key.Matches(k, d.keys.Home):
		d.offsets, d.until, d.journalUntil = [tabs]int{}, 0, 0
	}
}

func (d *dashboard) scroll(by int) {
	width, height := d.focusSize()
	target := d.scrolled()
	if d.details {
		d.offset(overviewTab, d.trouble(), by, width, height)
		return
	}
	switch target {
	case logTab:
		d.scrollLog(by, height)
	case stepsTab:
		d.offset(target, d.steps(), by, width, height)
	case nodesTab:
		d.offset(target, d.nodes(), by, width, height)
	case operatorsTab:
		d.offset(target, d.operators(), by, width, height)
	case cloudTab:
		d.offset(target, d.cloud(), by, width, height)
	case synTab:
		d.offset(target, d.applications(), by, width, height)
	}
}

func (d *dashboard) scrollLog(by, height int) {
	if d.journal && d.tab == logTab {
		d.journalUntil = d.journalLog().Scrolled(by, height)
		return
	}
	d.until = d.events().Scrolled(by, height)
}

func (d *dashboard) offset(t tab, view scrollable, by, width, height int) {
	d.offsets[t] = min(max(d.offsets[t]+by, 0), max(view.Lines(width)-height, 0))
}

// scrolled is the pane that the scroll keys move.
func (d *dashboard) scrolled() tab {
	if d.tab != overviewTab {
		return d.tab
	}
	if l, _, _ := d.arrange(); l.Mode == Compact {
		return logTab
	}
	return stepsTab
}

// focusSize returns the inner size of the pane that the scroll keys move.
func (d *dashboard) focusSize() (width, height int) {
	l, _, _ := d.arrange()
	r := d.focusRect(l)
	if l.Mode == Compact {
		return r.W - 2, r.H
	}
	return r.W - 4, r.H - 2
}

func (d *dashboard) focusRect(l Layout) Rect {
	switch {
	case l.Mode == Compact && !d.details && d.tab == overviewTab:
		return l.Log
	case l.Mode == Compact:
		return l.Body
	case d.details:
	case l.Mode == Medium && d.scrolled() == logTab:
		l.Main.H += l.Log.H
	case l.Mode == Wide:
		return d.focusWide(l)
	}
	return l.Main
}

func (d *dashboard) focusWide(l Layout) Rect {
	switch d.scrolled() {
	case nodesTab:
		return l.Nodes
	case operatorsTab:
		return l.Operators
	case cloudTab:
		return l.Cloud
	case synTab:
		return l.Bootstrap
	case logTab:
		if d.journal && !l.Journal.empty() {
			return l.Journal
		}
		return l.Log
	}
	return l.Main
}
