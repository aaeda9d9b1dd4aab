package nodes

import (
	"fmt"

	"exoshift/internal/text"
	"exoshift/tui/cells"
	"exoshift/tui/components/plan"
	"exoshift/tui/theme"
	"exoshift/tui/wizard/page"
	"exoshift/wizard"
	"exoshift/wizard/session"
)

func (p nodesView) renderBudget(width, height int) []string {
	quotas, cost := p.buildQuotas(), buildCost(p.session.Theme, p.computeEstimate())
	switch {
	case height <= 0:
		return nil
	case height == 1:
		return []string{cells.Truncate(quotas.RenderLine()+"  "+cost.RenderLine(), width)}
	case height < 4:
		return []string{quotas.RenderLine(), cost.RenderLine()}
	case width < minTwoColumnWidth:
		return append(splitLines(quotas.View(width, min(height-1, quotas.Height()))), cost.RenderLine())
	}
	tall := min(height, max(quotas.Height(), 6))
	left, right := splitLines(quotas.View(quotasWidth, tall)), splitLines(cost.View(min(width-quotasWidth-2, 52), tall))
	lines := make([]string, tall)
	for i := range lines {
		lines[i] = left[i] + "  " + right[i]
	}
	return lines
}

func (p nodesView) renderCostLine() string {
	return buildCost(p.session.Theme, p.computeEstimate()).RenderLine()
}

func (p nodesView) buildQuotas() plan.Quotas {
	quotas := p.session.Lookups.Quotas()
	shown := plan.Quotas{Theme: p.session.Theme, Rows: buildQuotaRows(quotas, p.computeEstimate().Needs)}
	shown.State, shown.Note = describeQuotas(p.session, len(quotas) > 0)
	return shown
}

func describeQuotas(t *page.Context, known bool) (theme.Status, string) {
	now := t.Now()
	for _, q := range t.Lookups.List() {
		if q.Screen != wizard.Nodes || known && len(q.Result.Quotas) == 0 {
			continue
		}
		switch {
		case page.IsBusy(q, now):
			return theme.Running, "checking…"
		case q.Err != nil:
			return theme.Warn, "quota lookup failed (ctrl+r retries)"
		case q.State == session.Known:
			return theme.OK, text.FormatAge(now.Sub(q.Ended))
		}
	}
	return theme.Waiting, "limits not known yet"
}

func (p nodesView) formatTypeColumn(name, column string) string {
	offer, known := p.offers[name]
	switch {
	case !known:
		return "?"
	case column == cpuColumn:
		return fmt.Sprint(offer.CPUs)
	}
	return fmt.Sprintf("%g", offer.Memory)
}
