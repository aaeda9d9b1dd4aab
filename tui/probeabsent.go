package tui

import "exoshift/tui/pane"

// markAbsent marks what a whole run from a vantage left out: others look at that. Where nothing was seen at all, nothing is
// known about what is left out.
func (b *probeBoard) markAbsent(vantage int) {
	var left []*probeRow
	for _, row := range b.rows {
		if row.results[vantage].Verdict == "" && row.Results[vantage].Status == pane.Waiting {
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
