package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"exoshift/tui/cells"
	"exoshift/tui/components/preflight"
	"exoshift/tui/theme"
	"exoshift/wizard/reach"
)

type probeList struct {
	rows    []*preflight.Endpoint
	grouped bool
	folded  int      // number of passed checks that are not listed
	causes  []string // common causes of the problems
}

// getList lists all checks by group, or as soon as some need attention those first, and passed ones only with showAll.
func (b *probeBoard) getList() *probeList {
	if b.cachedList == nil {
		b.cachedList = b.buildList()
	}
	return b.cachedList
}

func (b *probeBoard) buildList() *probeList {
	everything := b.showAll || b.filter != "" || !b.hasProblems()
	choice := &probeList{grouped: everything, causes: b.listCauses()}
	word := strings.ToLower(b.filter)
	for _, row := range b.rows {
		switch {
		case !strings.Contains(row.searchText, word):
		case everything, row.isNotable(), row.check.ID == b.selected:
			choice.rows = append(choice.rows, &row.Endpoint)
		default:
			choice.folded++
		}
	}
	order := func(a, b *preflight.Endpoint) int { return a.Compare(b) }
	if everything {
		places := b.indexGroups()
		order = func(a, b *preflight.Endpoint) int { return cmp.Compare(places[a.Check.Group], places[b.Check.Group]) }
	}
	slices.SortStableFunc(choice.rows, order)
	return choice
}

func (b *probeBoard) listCauses() (all []string) {
	for _, cause := range reach.CommonCauses(reach.Report{Results: b.listResults()}) {
		all = append(all, cells.SanitizeText(fmt.Sprintf("one cause of %d: %s", len(cause.IDs), cause.Text), b.ascii))
	}
	return all
}

// The order of the groups is that of their first check.
func (b *probeBoard) indexGroups() map[string]int {
	places := map[string]int{}
	for _, row := range b.rows {
		if _, known := places[row.Check.Group]; !known {
			places[row.Check.Group] = len(places)
		}
	}
	return places
}

func (b *probeBoard) hasProblems() bool {
	return slices.ContainsFunc(b.rows, func(row *probeRow) bool { return row.Status() == theme.Failed || row.Status() == theme.Warn })
}

// isNotable reports whether a row needs attention or is running.
func (r *probeRow) isNotable() bool { return r.Status() != theme.OK && r.Status() != theme.Waiting }

// findSelected returns -1 if the list is empty.
func (b *probeBoard) findSelected() int {
	rows, id := b.getList().rows, cells.SanitizeText(b.selected, b.ascii)
	i := slices.IndexFunc(rows, func(e *preflight.Endpoint) bool { return e.Check.ID == id })
	return max(i, min(0, len(rows)-1))
}

func (b *probeBoard) selectedRow() *probeRow {
	i := b.findSelected()
	if i < 0 {
		return nil
	}
	chosen := b.getList().rows[i]
	for _, row := range b.rows {
		if &row.Endpoint == chosen {
			return row
		}
	}
	return nil
}

// move reports whether there was a row so many lines further.
func (b *probeBoard) move(by int) bool {
	rows, at := b.getList().rows, b.findSelected()
	to := min(max(at+by, 0), len(rows)-1)
	if to < 0 || to == at && b.selected != "" {
		return false
	}
	b.selectRow(rows[to])
	return to != at
}

func (b *probeBoard) selectRow(e *preflight.Endpoint) {
	for _, row := range b.rows {
		if &row.Endpoint == e {
			b.selected, b.cachedList = row.check.ID, nil
		}
	}
}

func (b *probeBoard) switchSource(by int) {
	if n := len(b.sources); n > 0 {
		b.source = (b.source + by + n) % n
	}
}

// The names are short, for columns.
func (b *probeBoard) listColumns() []string {
	columns := make([]string, len(b.sources))
	for i, name := range b.sourceNames {
		columns[i] = preflight.FormatSource(name)
	}
	return columns
}

func (b *probeBoard) buildTable(theme theme.Theme) preflight.Endpoints {
	list := b.getList()
	return preflight.Endpoints{
		Theme: theme, Columns: b.listColumns(), SourceIndex: b.source, Rows: list.rows, Grouped: list.grouped, Selected: b.findSelected(), Hidden: list.folded,
		Causes: list.causes,
	}
}

func (b *probeBoard) buildDetails(theme theme.Theme) preflight.EndpointDetails {
	details := preflight.EndpointDetails{Theme: theme, Sources: b.sourceNames}
	if row := b.selectedRow(); row != nil {
		details.Endpoint, details.SourceIndex = &row.Endpoint, b.resolveSource(row)
	}
	return details
}

// resolveSource returns the source whose result of a row is shown: the selected one, unless the row has a problem only from
// another.
func (b *probeBoard) resolveSource(row *probeRow) int {
	if status := row.FromSource(b.source).Status; status != theme.OK && status != theme.Waiting {
		return b.source
	}
	for i, sight := range row.Results {
		if sight.Status == theme.Failed || sight.Status == theme.Warn {
			return i
		}
	}
	return b.source
}

// worst is the worst status from the source.
func (b *probeBoard) countReached(vantage int) (good, looked int, worst theme.Status) {
	for _, row := range b.rows {
		sight := row.Results[vantage]
		if status := preflight.MapVerdict(sight.Result.Verdict); status != theme.Waiting && status != theme.Skipped {
			looked++
			if status == theme.OK {
				good++
			}
			worst = preflight.MergeStatus(worst, status)
		}
	}
	return good, looked, worst
}

func (b *probeBoard) countFindings() int {
	n := 0
	for _, row := range b.rows {
		if status := row.Status(); status == theme.Failed || status == theme.Warn {
			n++
		}
	}
	return n
}
