package checks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/stable"
	"exoshift/tui/cells"
	"exoshift/tui/components/preflight"
	"exoshift/tui/theme"
	"exoshift/wizard/reach"
)

// List is the rows of a board as they are shown.
type List struct {
	Rows    []*preflight.Endpoint
	grouped bool
	folded  int      // number of passed checks that are not listed
	causes  []string // common causes of the problems
}

// GetList lists all checks by group, or as soon as some need attention those first, and passed ones only with showAll.
func (b *Board) GetList() *List {
	if b.CachedList == nil {
		b.CachedList = b.buildList()
	}
	return b.CachedList
}

func (b *Board) buildList() *List {
	everything := b.ShowAll || b.Filter.Word() != "" || !b.hasProblems()
	choice := &List{grouped: everything, causes: b.listCauses()}
	word := strings.ToLower(b.Filter.Word())
	for _, row := range b.Rows {
		switch {
		case !strings.Contains(row.searchText, word):
		case everything, row.isNotable(), row.Reported.ID == b.Selected:
			choice.Rows = append(choice.Rows, &row.Endpoint)
		default:
			choice.folded++
		}
	}
	order := func(a, b *preflight.Endpoint) int { return a.Compare(b) }
	if everything {
		places := b.indexGroups()
		order = func(a, b *preflight.Endpoint) int { return cmp.Compare(places[a.Check.Group], places[b.Check.Group]) }
	}
	stable.Sort(choice.Rows, order)
	return choice
}

func (b *Board) listCauses() (all []string) {
	for _, cause := range reach.CommonCauses(reach.Report{Results: b.ListResults()}) {
		all = append(all, cells.SanitizeText(fmt.Sprintf("one cause of %d: %s", len(cause.IDs), cause.Text), b.ascii))
	}
	return all
}

// The order of the groups is that of their first check.
func (b *Board) indexGroups() map[string]int {
	places := map[string]int{}
	for _, row := range b.Rows {
		if _, known := places[row.Check.Group]; !known {
			places[row.Check.Group] = len(places)
		}
	}
	return places
}

func (b *Board) hasProblems() bool {
	return slices.ContainsFunc(b.Rows, func(row *Row) bool { return row.Status() == theme.Failed || row.Status() == theme.Warn })
}

// FindSelected returns -1 if the list is empty.
func (b *Board) FindSelected() int {
	rows, id := b.GetList().Rows, cells.SanitizeText(b.Selected, b.ascii)
	i := slices.IndexFunc(rows, func(e *preflight.Endpoint) bool { return e.Check.ID == id })
	return max(i, min(0, len(rows)-1))
}

// SelectedRow returns the row at the cursor; nil if there is none.
func (b *Board) SelectedRow() *Row {
	i := b.FindSelected()
	if i < 0 {
		return nil
	}
	chosen := b.GetList().Rows[i]
	for _, row := range b.Rows {
		if &row.Endpoint == chosen {
			return row
		}
	}
	return nil
}

// move reports whether there was a row so many lines further.
func (b *Board) move(by int) bool {
	rows, at := b.GetList().Rows, b.FindSelected()
	to := min(max(at+by, 0), len(rows)-1)
	if to < 0 || to == at && b.Selected != "" {
		return false
	}
	b.SelectRow(rows[to])
	return to != at
}

// SelectRow puts the cursor on the row of an endpoint.
func (b *Board) SelectRow(e *preflight.Endpoint) {
	for _, row := range b.Rows {
		if &row.Endpoint == e {
			b.Selected, b.CachedList = row.Reported.ID, nil
		}
	}
}

// SwitchSource shows the details from another source, by columns.
func (b *Board) SwitchSource(by int) {
	if n := len(b.Sources); n > 0 {
		b.Source = (b.Source + by + n) % n
	}
}

// ListColumns returns the short names of the sources.
func (b *Board) ListColumns() []string {
	columns := make([]string, len(b.Sources))
	for i, name := range b.sourceNames {
		columns[i] = preflight.FormatSource(name)
	}
	return columns
}

// BuildTable returns the table of the checks that are listed.
func (b *Board) BuildTable(theme theme.Theme) preflight.Endpoints {
	list := b.GetList()
	return preflight.Endpoints{
		Theme: theme, Columns: b.ListColumns(), SourceIndex: b.Source, Rows: list.Rows, Grouped: list.grouped, Selected: b.FindSelected(), Hidden: list.folded,
		Causes: list.causes, Filter: b.Filter.Word(),
	}
}

// BuildDetails returns the details of the row at the cursor.
func (b *Board) BuildDetails(theme theme.Theme) preflight.EndpointDetails {
	details := preflight.EndpointDetails{Theme: theme, Sources: b.sourceNames}
	if row := b.SelectedRow(); row != nil {
		details.Endpoint, details.SourceIndex = &row.Endpoint, b.ResolveSource(row)
	}
	return details
}

// ResolveSource returns the source whose result of a row is shown: the selected one, unless the row has a problem only from
// another.
func (b *Board) ResolveSource(row *Row) int {
	if status := row.FromSource(b.Source).Status; status != theme.OK && status != theme.Waiting {
		return b.Source
	}
	for i, sight := range row.Results {
		if sight.Status == theme.Failed || sight.Status == theme.Warn {
			return i
		}
	}
	return b.Source
}

// CountReached returns how many checks of a source have passed and have ended, and the worst status.
func (b *Board) CountReached(vantage int) (good, looked int, worst theme.Status) {
	for _, row := range b.Rows {
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

// CountFindings returns how many checks need attention.
func (b *Board) CountFindings() int {
	n := 0
	for _, row := range b.Rows {
		if status := row.Status(); status == theme.Failed || status == theme.Warn {
			n++
		}
	}
	return n
}

// HasFailed reports whether a required service is unreachable.
func (b *Board) HasFailed() bool {
	for _, row := range b.Rows {
		if row.Status() == theme.Failed {
			return true
		}
	}
	return false
}
