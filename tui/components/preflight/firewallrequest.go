package preflight

import (
	"fmt"
	"strings"

	"exoshift/internal/text"
	"exoshift/tui/cells"
	"exoshift/tui/theme"
	"exoshift/wizard/reach"
)

// FirewallRequest is a request for firewall rules to the operators of the network.
type FirewallRequest struct {
	Theme theme.Theme
	Rules []reach.FirewallRule
	Note  string // how to export it
}

const firewallTableWidth = 110

// RenderLines draws all of it.
func (p FirewallRequest) RenderLines(width int) []string {
	t := p.Theme
	if len(p.Rules) == 0 {
		return append([]string{""}, cells.Wrap("Nothing to request from the network team. Each failed row shows its own fix.", " ", width)...)
	}
	lines := []string{"", " " + t.Bold.Render("Firewall request") + "  " + t.Dim.Render(text.Plural(len(p.Rules), "line")+p.Note), ""}
	if width >= firewallTableWidth {
		return append(lines, p.renderTable(width)...)
	}
	for i, d := range p.Rules {
		lines = append(lines, p.renderEntry(i+1, d, width)...)
	}
	return lines
}

// renderEntry is one rule where there is no room for a table.
func (p FirewallRequest) renderEntry(number int, d reach.FirewallRule, width int) []string {
	t := p.Theme
	head := fmt.Sprintf(" %2d  ", number) + string(d.Ask) + "  " + t.Bold.Render(d.Destination) + "  " + d.Port + t.Dim.Render("  "+d.ID)
	lines := []string{cells.Truncate(head, width)}
	for _, part := range [][2]string{{"from", d.Source}, {"for", d.Reason}, {"proof", d.Proof}, {"ask", describeOwner(d.Owner)}} {
		if part[1] != "" {
			lines = append(lines, cells.WrapAfter("     "+t.Label.Render(cells.Fit(part[0], 6)), t.Plain, part[1], strings.Repeat(" ", 12), width)...)
		}
	}
	return append(lines, "")
}

func (p FirewallRequest) renderTable(width int) []string {
	t := p.Theme
	room := width - 2
	widths := []int{room * 15 / 100, room * 20 / 100, 9, room * 11 / 100, room * 20 / 100}
	widths = append(widths, room-widths[0]-widths[1]-widths[2]-widths[3]-widths[4])
	lines := renderTableRow([]string{"from", "to", "port", "action", "needed for", "result"}, widths)
	for i, line := range lines {
		lines[i] = t.Dim.Render(line)
	}
	for _, d := range p.Rules {
		lines = append(lines, renderTableRow([]string{d.Source, d.Destination, d.Port, string(d.Ask), d.Reason, d.Proof}, widths)...)
	}
	return lines
}

func renderTableRow(texts []string, widths []int) []string {
	var columns [][]string
	height := 0
	for i, cell := range texts {
		columns = append(columns, cells.Wrap(cell, "", widths[i]-1))
		height = max(height, len(columns[i]))
	}
	lines := make([]string, height)
	for y := range lines {
		lines[y] = " "
		for i, column := range columns {
			lines[y] += cells.Fit(cells.Line(column, y), widths[i])
		}
	}
	return lines
}
