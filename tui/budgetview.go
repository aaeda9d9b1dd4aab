package tui

import (
	"fmt"

	"exoshift/tui/pane"
	"exoshift/wizard"

	"github.com/charmbracelet/x/ansi"
)

// budget shows what the machines need and cost, in as much room as there is.
func (p *nodesPage) budget(width, height int) []string {
	quotas, cost := p.quotaPane(), costPane(p.talk.theme, p.costs())
	switch {
	case height <= 0:
		return nil
	case height == 1:
		return []string{pane.Truncate(quotas.Line()+"  "+cost.Line(), width)}
	case height < budgetLeast:
		return []string{quotas.Line(), cost.Line()}
	case width < sideBySide:
		return append(split(quotas.View(width, min(height-1, quotas.Height()))), cost.Line())
	}
	tall := min(height, max(quotas.Height(), 6))
	left, right := split(quotas.View(quotasWidth, tall)), split(cost.View(min(width-quotasWidth-2, 60), tall))
	lines := make([]string, tall)
	for i := range lines {
		lines[i] = left[i] + "  " + right[i]
	}
	if rest := height - tall - 1; rest >= helpLeast {
		help := helpText{p.talk.theme, p.Help()}
		tall := min(rest, len(help.lines(width-4))+2)
		lines = append(append(lines, ""), split(pane.Box{Theme: p.talk.theme, Title: "help", Content: help}.View(width, tall))...)
	}
	return lines
}

// costs1 is the cost in one line.
func (p *nodesPage) costs1() string { return costPane(p.talk.theme, p.costs()).Line() }

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
func ofType(name, column string) string {
	for _, offer := range wizard.Offers() {
		switch {
		case offer.Name != name:
		case column == cpuColumn:
			return fmt.Sprint(offer.CPUs)
		default:
			return fmt.Sprintf("%g", offer.Memory)
		}
	}
	return "?"
}

// typeListView draws the list of instance types.
type typeListView struct{ *nodesPage }

func (p typeListView) View(width, height int) string {
	t, l := p.talk.theme, p.list
	filter := t.Dim.Render("type to search")
	if l.filter != "" {
		filter = t.Label.Render("/") + l.filter + "_"
	}
	lines := []string{t.Bold.Render("Instance type: "+cleanText(l.title, p.talk.ascii)) + "   " + filter}
	foot := p.foot(width)
	if len(foot) > height/2 {
		foot = foot[:height/2]
	}
	types := l.matching()
	room := max(height-len(lines)-len(foot), 1)
	from := min(max(l.cursor-room/2, 0), max(len(types)-room, 0))
	for i := from; i < min(from+room, len(types)); i++ {
		lines = append(lines, p.typeLine(types[i], i == l.cursor, width))
	}
	if len(types) == 0 {
		lines = append(lines, t.Dim.Render("  no type has that in its name"))
	}
	for len(lines) < height-len(foot) {
		lines = append(lines, "")
	}
	return pane.Fill(append(lines, foot...), width, height)
}

func (p typeListView) typeLine(one instanceType, chosen bool, width int) string {
	t, head := p.talk.theme, " "
	if chosen {
		head = t.Focus.Render(t.Prong)
	}
	style := t.Plain
	switch {
	case chosen:
		style = t.Selected
	case one.status == pane.Failed:
		style = t.Dim
	}
	line := head + t.Mark(one.status) + " " + style.Render(pane.Fit(one.name, 22))
	if one.cpus > 0 {
		line += pane.Fit(fmt.Sprintf("%4d CPUs %5g GiB", one.cpus, one.memory), 22)
	}
	if width >= sideBySide {
		line += pane.Fit(one.hourly(), 15)
	}
	what := one.why
	if what == "" {
		what = one.note
	}
	return pane.Truncate(line+t.Dim.Render(what), width)
}

// foot says about the type under the cursor what is worth knowing, and what the cluster would cost with it.
func (p typeListView) foot(width int) []string {
	t, l := p.talk.theme, p.list
	chosen, there := l.chosen()
	switch {
	case l.why != "":
		return p.say(pane.Failed, l.why, width)
	case !there:
		return nil
	case chosen.status == pane.Failed:
		return p.say(pane.Failed, chosen.name+": "+chosen.why, width)
	}
	spec := detached(p.talk.spec())
	if l.field.Set(&spec, chosen.name) != nil {
		return nil
	}
	lines := []string{""}
	if chosen.status == pane.Warn {
		lines = append(lines, p.say(pane.Warn, chosen.name+": "+chosen.why, width)...)
	}
	estimate := l.estimate.of(p.talk, spec)
	cost := "The cluster with it: " + costPane(t, estimate).Line()
	if ansi.StringWidth(cost) > width {
		cost = "With it: " + costPane(t, estimate).Line()
	}
	return append(lines, cost)
}
