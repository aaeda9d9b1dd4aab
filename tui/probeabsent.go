package tui

import (
	"exoshift/tui/theme"
)

// markAbsent marks the checks that a full run from a source does not include: they apply to other sources. Without any result
// from the source nothing is marked.
func (b *probeBoard) markAbsent(vantage int) {
	var left []*probeRow
	for _, row := range b.rows {
		if row.results[vantage].Verdict == "" && row.Results[vantage].Status == theme.Waiting {
			left = append(left, row)
		}
	}
	if len(left) == len(b.rows) {
		return
	}
	for _, row := range left {
		row.Results[vantage].NotApplicable = true
	}
	b.cachedList = nil
}
