// Package preflight draws the checks before an installation, and the endpoints that have to be reached with the layers of their
// connections.
package preflight

import (
	"fmt"
	"strings"
	"time"

	"exoshift/internal/text"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
)

// Check is one check before an installation.
type Check struct {
	Title    string
	Marks    []theme.Status // none: it waits
	Text     string         // what was found, what is wrong, or why it was skipped
	Hint     string         // what to do about it
	Location string         // where to change what is wrong, e.g. "3 Nodes: sizing.storage.type"; empty if unknown
	Took     time.Duration
}

// computeStatus returns the most urgent of the marks.
func (c Check) computeStatus() theme.Status {
	if len(c.Marks) == 0 {
		return theme.Waiting
	}
	worst := c.Marks[0]
	for _, mark := range c.Marks {
		if mark.Urgency() < worst.Urgency() {
			worst = mark
		}
	}
	return worst
}

// Checks lists checks and below them the probed services, with details of the selected one below or beside them.
type Checks struct {
	Theme     theme.Theme
	Header    string // the overall status, one line with styles
	Rows      []Check
	Endpoints Endpoints
	Details   EndpointDetails // of the selected endpoint
	Selected  int             // a row, or behind the rows an endpoint
	Footer    string          // what to do now, one line with styles
}

const (
	checksColumnsMinWidth = 120 // from here on the details are beside the list
	detailsMinHeight      = 6
	listMinHeight         = 3 // the selected row, between marks of what is above and below
)

// View draws the list and the details.
func (p Checks) View(width, height int) string {
	if p.Footer != "" && width > 0 && height > detailsMinHeight {
		foot := p.Footer
		p.Footer = ""
		return p.View(width, height-1) + "\n" + cells.Fill([]string{" " + foot}, width, 1)
	}
	if width >= checksColumnsMinWidth {
		return p.renderColumns(width, height)
	}
	list := min(p.countLines(), max(height-2-p.computeDetailsHeight(width, height), min(listMinHeight, height-4), 1))
	lines := append([]string{" " + p.Header, p.Theme.RenderRule(width)}, p.renderList(width, list)...)
	if room := height - len(lines) - 1; room > 0 && len(p.Rows) > 0 {
		lines = append(append(lines, p.Theme.RenderRule(width)), p.renderDetails(width, room)...)
	}
	return cells.Fill(lines, width, height)
}

func (p Checks) renderColumns(width, height int) string {
	left := width * 55 / 100
	list := p.renderList(left, height-2)
	explanation := p.renderDetails(width-left-2, height-2)
	lines := []string{" " + p.Header, p.Theme.RenderRule(width)}
	for y := range max(height-2, 0) {
		lines = append(lines, cells.Fit(cells.Line(list, y), left)+p.Theme.Border.Render(p.Theme.Vertical)+" "+cells.Line(explanation, y))
	}
	return cells.Fill(lines, width, height)
}

func (p Checks) computeDetailsHeight(width, height int) int {
	if p.Selected < len(p.Rows) {
		return detailsMinHeight
	}
	return max(detailsMinHeight, min(p.Details.CountLines(width)+1, height/2))
}

func (p Checks) countLines() int { return len(p.Rows) + len(p.listEndpoints()) }

// listEndpoints includes a heading.
func (p Checks) listEndpoints() []endpointLine {
	if lines := p.Endpoints.listLines(); len(lines) > 0 {
		return append([]endpointLine{{row: -1, heading: true}}, lines...)
	}
	return nil
}

// CheckTarget is the prefix of the target of a row, whose number follows.
const CheckTarget = "check:"

// renderList scrolls to the selected line.
func (p Checks) renderList(width, height int) []string {
	services, at := p.listEndpoints(), p.Selected
	for i, line := range services {
		if p.Selected >= len(p.Rows) && line.row == p.Selected-len(p.Rows) {
			at = len(p.Rows) + i
		}
	}
	p.Endpoints.Selected = p.Selected - len(p.Rows)
	draw := func(i int) string {
		if i < len(p.Rows) {
			return components.MarkTarget(p.Theme, fmt.Sprint(CheckTarget, i), p.renderRow(p.Rows[i], i == p.Selected, width))
		}
		return p.Endpoints.renderLine(services[i-len(p.Rows)], width)
	}
	return components.ScrollFunc(p.Theme, len(p.Rows)+len(services), draw, at-height/2, height)
}

func (p Checks) renderRow(c Check, selected bool, width int) string {
	t := p.Theme
	line := "  "
	if selected {
		line = t.Focus.Render(t.Cursor) + " "
	}
	for _, mark := range c.Marks {
		line += t.Mark(mark) + " "
	}
	title := c.Title
	if selected {
		title = t.Bold.Render(title)
	}
	took := ""
	if c.Took >= time.Second {
		took = t.Dim.Render(text.FormatDuration(c.Took))
	}
	return " " + cells.JoinEnds(line+title+p.renderDetail(c), took, width-2)
}

func (p Checks) renderDetail(c Check) string {
	status := c.computeStatus()
	switch {
	case status == theme.Waiting, c.Text == "":
		return p.Theme.Dim.Render("  " + status.Word())
	case status == theme.OK, status == theme.Skipped, status == theme.Running:
		return p.Theme.Dim.Render("  " + c.Text)
	}
	return "  " + p.Theme.Style(status).Render(status.Word()) + "  " + c.Text
}

func (p Checks) renderDetails(width, height int) []string {
	switch {
	case p.Selected < 0:
		return nil
	case p.Selected >= len(p.Rows):
		return strings.Split(p.Details.View(width, height), "\n")
	}
	return CheckDetails{Theme: p.Theme, Check: p.Rows[p.Selected]}.RenderLines(width)
}

// CheckDetails explains one check.
type CheckDetails struct {
	Theme theme.Theme
	Check Check
}

// View draws what fits.
func (p CheckDetails) View(width, height int) string {
	return cells.Fill(append([]string{""}, p.RenderLines(width)...), width, height)
}

// RenderLines returns everything, wrapped.
func (p CheckDetails) RenderLines(width int) []string {
	t, c := p.Theme, p.Check
	status := c.computeStatus()
	head := " " + t.Mark(status) + " " + t.Style(status).Bold(true).Render(strings.ToUpper(status.Word()))
	lines := cells.WrapAfter(head+" ", t.Bold, c.Title, " "+t.Indent(), width)
	lines = append(lines, cells.WrapStyled(t.Plain, c.Text, " "+t.Indent(), width)...)
	if c.Hint != "" {
		lines = append(lines, p.renderHint(c, width)...)
	}
	if c.Location != "" {
		lines = append(lines, cells.WrapAfter(" "+t.Bold.Render("enter")+" ", t.Plain, "goes to "+c.Location, " "+t.Indent(), width)...)
	}
	return lines
}

// Lines of a command stay whole, to be copied.
func (p CheckDetails) renderHint(c Check, width int) []string {
	head := " " + p.Theme.Label.Render("Fix") + " "
	if !strings.Contains(c.Hint, "\n") {
		return cells.WrapAfter(head, p.Theme.Plain, c.Hint, " "+p.Theme.Indent(), width)
	}
	return append([]string{head}, cells.Wrap(c.Hint, " ", width)...)
}

// FormatCounts counts checks in words, e.g. "6 of 8 ok, 1 failed, 1 skipped".
func (p Checks) FormatCounts() string {
	count := map[theme.Status]int{}
	for _, row := range p.Rows {
		count[row.computeStatus()]++
	}
	tally := fmt.Sprintf("%d of %d ok", count[theme.OK], len(p.Rows))
	for _, status := range []theme.Status{theme.Failed, theme.Warn, theme.Running, theme.Skipped} {
		if n := count[status]; n > 0 {
			tally += fmt.Sprintf(", %d %s", n, status.Word())
		}
	}
	return tally
}
