package tui

import (
	"fmt"

	"exoshift/tui/pane"
	"exoshift/wizard"
)

// budget shows what the machines need and cost, in as much room as there is.
func (p *nodesPage) budget(width, height int) []string {
	quotas, cost := p.quotaPane(), costPane(p.talk.theme, p.costs())
	switch {
	case height <= 0:
		return nil
	case height == 1:
		return []string{pane.Truncate(quotas.Line()+"  "+cost.Line(), width)}
	case height < 4:
		return []string{quotas.Line(), cost.Line()}
	case width < sideBySide:
		return append(split(quotas.View(width, min(height-1, quotas.Height()))), cost.Line())
	}
	tall := min(height, max(quotas.Height(), 6))
	left, right := split(quotas.View(quotasWidth, tall)), split(cost.View(min(width-quotasWidth-2, 52), tall))
	lines := make([]string, tall)
	for i := range lines {
		lines[i] = left[i] + "  " + right[i]
	}
	return lines
}

// costLine is the cost in one line.
func (p *nodesPage) costLine() string { return costPane(p.talk.theme, p.costs()).Line() }

// quotaPane compares the quotas with what is on the screen, and says how old they are or why there are none.
func (p *nodesPage) quotaPane() pane.Quotas {
	quotas := p.talk.quotas()
	shown := pane.Quotas{Theme: p.talk.theme, Rows: quotaRows(quotas, p.costs().Needs)}
	shown.State, shown.Note = p.talk.quotaState(len(quotas) > 0)
	return shown
}

// quotaState says how the question for the quotas went.
func (t *talk) quotaState(known bool) (pane.Status, string) {
	now := t.now()
	for _, q := range t.inquiries {
		if q.Screen != wizard.Nodes || known && len(q.reply.Quotas) == 0 {
			continue
		}
		switch {
		case q.busy(now):
			return pane.Running, "checking…"
		case q.err != nil:
			return pane.Warn, "nobody could tell the limits (ctrl+r tries again)"
		case q.known:
			return pane.OK, ago(now.Sub(q.at))
		}
	}
	return pane.Waiting, "limits not asked yet"
}

// ofType is a column that follows from an instance type.
func (p *nodesPage) ofType(name, column string) string {
	offer, known := p.offers[name]
	switch {
	case !known:
		return "?"
	case column == cpuColumn:
		return fmt.Sprint(offer.CPUs)
	}
	return fmt.Sprintf("%g", offer.Memory)
}
