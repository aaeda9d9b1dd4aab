package console

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// widestCell is where a cell is cut off, in columns of the terminal, unless it is the last of its row.
const widestCell = 64

// cells are rows of columns that are aligned by what a terminal needs for them.
type cells [][]string

// lines returns the rows, each with an indentation.
func (c cells) lines(indent string) []string {
	var widths []int
	for _, row := range c {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], runewidth.StringWidth(shortened(cell)))
		}
	}
	lines := make([]string, len(c))
	for n, row := range c {
		var line strings.Builder
		line.WriteString(indent)
		for i, cell := range row {
			if i == len(row)-1 {
				line.WriteString(Clean(cell))
				break
			}
			line.WriteString(runewidth.FillRight(shortened(cell), widths[i]) + "  ")
		}
		lines[n] = strings.TrimRight(line.String(), " ")
	}
	return lines
}

// shortened makes a text safe for a cell.
func shortened(text string) string { return runewidth.Truncate(Clean(text), widestCell, "...") }
