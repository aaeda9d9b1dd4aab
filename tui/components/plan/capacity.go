package plan

import (
	"fmt"
	"strconv"

	"exoshift/tui/cells"
	"exoshift/tui/theme"
)

// Capacity shows how many nodes, pods and services the address ranges have room for.
type Capacity struct {
	Theme       theme.Theme
	Nodes       int // that the pod network has room for
	PodsPerNode int
	Services    int
	Wanted      int  // nodes
	Unknown     bool // the ranges are invalid: nothing is known
}

// View draws a line for the pods and one for the services.
func (p Capacity) View(width, height int) string {
	return cells.Fill(p.renderLines(width), width, height)
}

// Height returns the number of lines.
func (p Capacity) Height(width int) int { return len(p.renderLines(width)) }

func (p Capacity) renderLines(width int) []string {
	t := p.Theme
	if p.Unknown {
		return cells.WrapAfter(t.Mark(theme.Waiting), t.Dim, "Capacity is shown once the ranges are valid", t.Indent(), width)
	}
	status := theme.OK
	if p.Nodes < p.Wanted {
		status = theme.Failed
	}
	room := fmt.Sprintf("Room for %s of %s each (%d needed)", formatThousands(p.Nodes, "node"), formatThousands(p.PodsPerNode, "pod"), p.Wanted)
	if all := room + " and " + formatThousands(p.Services, "service"); p.Services > 0 && cells.Count(t.Indent())+cells.Count(all) <= width {
		return []string{t.Mark(status) + " " + all}
	}
	lines := cells.WrapAfter(t.Mark(status), t.Plain, room, t.Indent(), width)
	if p.Services > 0 {
		lines = append(lines, cells.WrapAfter(t.Mark(theme.OK), t.Plain, "Room for "+formatThousands(p.Services, "service"), t.Indent(), width)...)
	}
	return lines
}

// formatThousands is Plural with separators between the thousands.
func formatThousands(n int, noun string) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	if n == 1 {
		return text + " " + noun
	}
	return text + " " + noun + "s"
}
