package console

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// maxCellWidth is in columns of the terminal; the last cell of a row has no limit.
const maxCellWidth = 64

// cells is a table aligned by display width.
type cells [][]string

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

func truncateCell(text string) string {
	return runewidth.Truncate(SanitizeLine(text), maxCellWidth, "...")
}
