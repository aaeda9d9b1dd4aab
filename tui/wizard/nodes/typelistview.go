package nodes

import (
	"cmp"
	"fmt"
	"strings"

	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
	"exoshift/wizard/session"

	"github.com/charmbracelet/x/ansi"
)

type typeListView struct{ *Page }

func (p typeListView) View(width, height int) string {
	t, l := p.session.Theme, p.list
	filter := t.Dim.Render("type to search")
	if word := l.filter.Value(); word != "" {
		filter = t.Label.Render("/") + l.filter.Render(t, p.session.ASCII, min(ansi.StringWidth(word)+1, max(width/2, 8)))
	}
	lines := []string{t.Bold.Render("Instance type: "+cells.SanitizeText(l.title, p.session.ASCII)) + "   " + filter}
	foot := p.renderFooter(width)
	if len(foot) > height/2 {
		foot = foot[:height/2]
	}
	types := l.filterTypes()
	room := max(height-len(lines)-len(foot), 1)
	from := min(max(l.cursor-room/2, 0), max(len(types)-room, 0))
	for i := from; i < min(from+room, len(types)); i++ {
		lines = append(lines, components.MarkTarget(t, typeTarget+types[i].name, p.renderType(types[i], i == l.cursor, width)))
	}
	if len(types) == 0 {
		lines = append(lines, t.Dim.Render("  no match"))
	}
	for len(lines) < height-len(foot) {
		lines = append(lines, "")
	}
	return cells.Fill(append(lines, foot...), width, height)
}

func (p typeListView) renderType(one instanceType, chosen bool, width int) string {
	t, head := p.session.Theme, " "
	if chosen {
		head = t.Focus.Render(t.Cursor)
	}
	style := t.Plain
	switch {
	case chosen:
		style = t.Selected
	case one.status == theme.Failed:
		style = t.Dim
	}
	line := head + t.Mark(one.status) + " " + style.Render(cells.Fit(one.name, 22))
	if one.cpus > 0 {
		line += cells.Fit(fmt.Sprintf("%4d CPUs %5g GiB", one.cpus, one.memory), 22)
	}
	if width >= minTwoColumnWidth {
		line += cells.Fit(one.formatPrice(), 15)
	}
	return cells.Truncate(line+t.Dim.Render(cmp.Or(one.why, one.formatDetails())), width)
}

// formatDetails returns what has no column of its own: everything about an unknown type, and the number of GPUs.
func (t instanceType) formatDetails() string {
	if t.cpus == 0 {
		return t.note
	}
	for part := range strings.SplitSeq(t.note, ", ") {
		if strings.Contains(part, "GPU") {
			return part
		}
	}
	return ""
}

func (p typeListView) renderFooter(width int) []string {
	t, l := p.session.Theme, p.list
	chosen, there := l.selectedType()
	switch {
	case l.why != "":
		return nodesView(p).renderMessage(theme.Failed, l.why, width)
	case !there:
		return nil
	case chosen.status == theme.Failed:
		return nodesView(p).renderMessage(theme.Failed, chosen.name+": "+chosen.why, width)
	}
	spec := session.CopyGroups(p.session.Spec())
	if l.field.Set(&spec, chosen.name) != nil {
		return nil
	}
	lines := []string{""}
	if chosen.status == theme.Warn {
		lines = append(lines, nodesView(p).renderMessage(theme.Warn, chosen.name+": "+chosen.why, width)...)
	}
	estimate := p.session.Estimates.Estimate(spec)
	cost := "The cluster with it: " + buildCost(t, estimate).RenderLine()
	if ansi.StringWidth(cost) > width {
		cost = "With it: " + buildCost(t, estimate).RenderLine()
	}
	return append(lines, cost)
}
