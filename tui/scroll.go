package tui

import (
	"exoshift/tui/components"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// scrollable is a pane that may have more lines than fit.
type scrollable interface {
	components.View
	CountLines(width int) int
}

func (d *dashboard) handleScrollKey(k tea.KeyMsg) {
	_, height := d.computeFocusSize()
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
		d.offsets, d.logEnd, d.journalEnd = [tabCount]int{}, 0, 0
	}
}

func (d *dashboard) scroll(by int) {
	width, height := d.computeFocusSize()
	target := d.scrolledTab()
	if d.details {
		d.scrollPane(overviewTab, d.buildFailure(), by, width, height)
		return
	}
	switch target {
	case logTab:
		d.scrollLog(by, height)
	case stepsTab:
		d.scrollPane(target, d.buildSteps(), by, width, height)
	case nodesTab:
		d.scrollPane(target, d.buildNodes(), by, width, height)
	case operatorsTab:
		d.scrollPane(target, d.buildOperators(), by, width, height)
	case cloudTab:
		d.scrollPane(target, d.buildCloud(), by, width, height)
	case synTab:
		d.scrollPane(target, d.buildApplications(), by, width, height)
	}
}

func (d *dashboard) scrollLog(by, height int) {
	if d.journal && d.tab == logTab {
		d.journalEnd = d.buildJournal().Scroll(by, height)
		return
	}
	d.logEnd = d.buildEvents().Scroll(by, height)
}

func (d *dashboard) scrollPane(t tab, view scrollable, by, width, height int) {
	d.offsets[t] = min(max(d.offsets[t]+by, 0), max(view.CountLines(width)-height, 0))
}

// scrolledTab is the pane that the scroll keys move.
func (d *dashboard) scrolledTab() tab {
	if d.tab != overviewTab {
		return d.tab
	}
	if l, _, _ := d.computeLayout(); l.Mode == Compact {
		return logTab
	}
	return stepsTab
}

// computeFocusSize returns the inner size of the pane that the scroll keys move.
func (d *dashboard) computeFocusSize() (width, height int) {
	l, _, _ := d.computeLayout()
	r := d.findFocusRect(l)
	if l.Mode == Compact {
		return r.W - 2, r.H
	}
	return r.W - 4, r.H - 2
}

func (d *dashboard) findFocusRect(l Layout) Rect {
	switch {
	case l.Mode == Compact && !d.details && d.tab == overviewTab:
		return l.Log
	case l.Mode == Compact:
		return l.Body
	case d.details:
	case l.Mode == Medium && d.scrolledTab() == logTab:
		l.Main.H += l.Log.H
	case l.Mode == Wide:
		return d.findWideFocusRect(l)
	}
	return l.Main
}

func (d *dashboard) findWideFocusRect(l Layout) Rect {
	switch d.scrolledTab() {
	case nodesTab:
		return l.Nodes
	case operatorsTab:
		return l.Operators
	case cloudTab:
		return l.Cloud
	case synTab:
		return l.Bootstrap
	case logTab:
		if d.journal && !l.Journal.isEmpty() {
			return l.Journal
		}
		return l.Log
	}
	return l.Main
}
