package preflight

import (
	"fmt"
	"strings"

	"exoshift/internal/text"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
)

// Endpoints lists services with a mark for each source, and the layers of the connection.
type Endpoints struct {
	Theme       theme.Theme
	Columns     []string // names of the sources, short
	SourceIndex int      // the source whose layers are shown
	Rows        []*Endpoint
	Grouped     bool     // a heading before each group; the rows are ordered by group then
	Selected    int      // a row; others: none
	Hidden      int      // number of passed checks that are not listed
	Causes      []string // common causes of the problems, each in a sentence
	Filter      string   // only rows that match this word are listed
}

// EndpointTarget is the prefix of the target of a row, whose ID follows.
const EndpointTarget = "endpoint:"

// describeGroup returns the heading of a group of endpoints.
func describeGroup(group string) string {
	words, known := map[string]string{
		"vshn": "VSHN", "redhat": "Red Hat", "third-party": "Third parties", "exoscale": "Exoscale", "cluster": "Cluster",
		"customer": "Yours",
	}[group]
	if !known {
		return group
	}
	return words
}

// endpointLine is one line of the table: a row, or without one a text.
type endpointLine struct {
	row     int // -1: none
	text    string
	heading bool // of the columns
}

func (p Endpoints) listLines() []endpointLine {
	lines := make([]endpointLine, 0, len(p.Rows)+8)
	for _, cause := range p.Causes {
		lines = append(lines, endpointLine{row: -1, text: " " + p.Theme.Mark(theme.Warn) + " " + p.Theme.Caution.Render(cause)})
	}
	if p.Filter != "" {
		matches := "no match"
		if n := len(p.Rows); n > 0 {
			matches = text.Plural(n, "check") + " found"
		}
		lines = append(lines, endpointLine{row: -1, text: " " + p.Theme.Label.Render("/"+p.Filter) + p.Theme.Dim.Render("  "+matches+"; esc clears the filter")})
	}
	for i, row := range p.Rows {
		if p.Grouped && (i == 0 || p.Rows[i-1].Check.Group != row.Check.Group) {
			lines = append(lines, endpointLine{row: -1, text: " " + p.Theme.Label.Render(describeGroup(row.Check.Group))})
		}
		lines = append(lines, endpointLine{row: i})
	}
	if p.Hidden > 0 {
		more := "more "
		if len(p.Rows) == 0 {
			more = ""
		}
		lines = append(lines, endpointLine{row: -1, text: p.Theme.Dim.Render(fmt.Sprintf("   … %d %sok  (a shows all)", p.Hidden, more))})
	}
	return lines
}

// Height returns the number of lines of the whole list, without its heading.
func (p Endpoints) Height() int { return len(p.listLines()) }

// View draws the heading and as much of the list as fits, with the selected row in it.
func (p Endpoints) View(width, height int) string {
	if height < 4 {
		return cells.Fill(p.renderBody(width, height), width, height)
	}
	return cells.Fill(append([]string{p.renderHeading(width)}, p.renderBody(width, height-1)...), width, height)
}

func (p Endpoints) renderBody(width, height int) []string {
	lines := p.listLines()
	at := 0
	for i, line := range lines {
		if line.row == p.Selected && line.row >= 0 {
			at = i
			break
		}
	}
	return components.ScrollFunc(p.Theme, len(lines), func(i int) string { return p.renderLine(lines[i], width) }, at-height/2, height)
}

func (p Endpoints) renderLine(l endpointLine, width int) string {
	switch {
	case l.heading:
		return p.renderHeading(width)
	case l.row < 0:
		return l.text
	}
	return components.MarkTarget(p.Theme, EndpointTarget+p.Rows[l.row].Check.ID, p.renderRow(p.Rows[l.row], l.row == p.Selected, width))
}

const (
	endpointMargin = 3
	checkColumn    = 6
	titleColumn    = 24
	titleMinWidth  = 100 // from here on there is room for titles
)

func computeTargetWidth(width int) int { return min(max(width*38/100, 8), 34) }

func (p Endpoints) renderHeading(width int) string {
	t := p.Theme
	line := strings.Repeat(" ", endpointMargin) + t.Dim.Render(cells.Fit("target", computeTargetWidth(width)))
	for i, column := range p.Columns {
		style := t.Dim
		if i == p.SourceIndex && len(p.Columns) > 1 {
			style = t.Bold
		}
		line += style.Render(cells.Fit(column, checkColumn))
	}
	if width >= titleMinWidth {
		line += t.Dim.Render(cells.Fit("what it is", titleColumn))
	}
	return line + t.Dim.Render("layers"+p.formatSource())
}

// formatSource names the source of the layers, where there are several.
func (p Endpoints) formatSource() string {
	if len(p.Columns) < 2 || p.SourceIndex < 0 || p.SourceIndex >= len(p.Columns) {
		return ""
	}
	return " (" + p.Columns[p.SourceIndex] + ")"
}

func (p Endpoints) renderRow(e *Endpoint, selected bool, width int) string {
	t := p.Theme
	line, target := "   ", cells.Fit(e.Host(), computeTargetWidth(width)-1)+" "
	if selected {
		line, target = " "+t.Focus.Render(t.Cursor)+" ", t.Bold.Render(target)
	}
	line += target
	for i := range p.Columns {
		line += cells.Fit(e.FromSource(i).renderMark(t), checkColumn)
	}
	sight := e.FromSource(p.SourceIndex)
	brief := ""
	if width >= titleMinWidth {
		line += cells.Fit(e.Check.Title, titleColumn-1) + " "
	} else if sight.Status == theme.OK || sight.Status == theme.Waiting {
		brief = "  " + t.Dim.Render(e.Check.Title) // renderBrief is short then
	}
	return line + e.renderBrief(t, sight, width-cells.Count(line)) + brief
}
