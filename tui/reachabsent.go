package tui

import "exoshift/tui/pane"

// exempt marks what a whole run from a vantage left out: others look at that. Where nothing was seen at all, nothing is
// known about what is left out.
func (b *reachBoard) exempt(vantage int) {
	var left []*reachRow
	for _, row := range b.rows {
		if row.results[vantage].Verdict == "" && row.Sights[vantage].Status == pane.Waiting {
			left = append(left, row)
		}
	}
	if len(left) == len(b.rows) {
		return
	}
	for _, row := range left {
		row.Sights[vantage].Absent = true
	}
	b.choice = nil
}
