package console

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// maxCellWidth is where a cell is cut off, in columns of the terminal, unless it is the last of its row.
const maxCellWidth = 64

// cells are rows of columns that are aligned by what a terminal needs for them.
type cells [][]string

// formatLines returns the rows, each with an indentation.
func (c cells) formatLines(indent string) []string {
	var widths []int
	for _, row := range c {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], runewidth.StringWidth(truncateCell(cell)))
		}
	}
	lines := make([]string, len(c))
	for n, row := range c {
		var line strings.Builder
		line.WriteString(indent)
		for i, cell := range row {
			if i == len(row)-1 {
				line.WriteString(SanitizeLine(cell))
				break
			}
			line.WriteString(runewidth.FillRight(truncateCell(cell), widths[i]) + "  ")
		}
		lines[n] = strings.TrimRight(line.String(), " ")
	}
	return lines
}

// truncateCell makes a text safe for a cell.
func truncateCell(text string) string {
	return runewidth.Truncate(SanitizeLine(text), maxCellWidth, "...")
}
