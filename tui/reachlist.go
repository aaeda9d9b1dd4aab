package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"exoshift/tui/pane"
	"exoshift/wizard/reach"
)

// reachChoice is which services are listed, and in which order.
type reachChoice struct {
	rows    []*pane.Endpoint
	grouped bool
	folded  int      // how many are well and not listed
	causes  []string // what many of the problems come from
}

// list is what is listed now: everything by groups, or as soon as something needs attention that first, and what is
// well not at all unless it was asked for.
func (b *reachBoard) list() *reachChoice {
	if b.choice == nil {
		b.choice = b.choose()
	}
	return b.choice
}

func (b *reachBoard) choose() *reachChoice {
	everything := b.all || b.word != "" || !b.needsAttention()
	choice := &reachChoice{grouped: everything, causes: b.causes()}
	word := strings.ToLower(b.word)
	for _, row := range b.rows {
		switch {
		case !strings.Contains(row.words, word):
		case everything, row.attention(), row.check.ID == b.selected:
			choice.rows = append(choice.rows, &row.Endpoint)
		default:
			choice.folded++
		}
	}
	order := func(a, b *pane.Endpoint) int { return a.Before(b) }
	if everything {
		places := b.places()
		order = func(a, b *pane.Endpoint) int { return cmp.Compare(places[a.Check.Group], places[b.Check.Group]) }
	}
	slices.SortStableFunc(choice.rows, order)
	return choice
}

// causes tells what many of the problems have in common, made harmless.
func (b *reachBoard) causes() (all []string) {
	for _, cause := range reach.Causes(reach.Report{Results: b.results()}) {
		all = append(all, cleanText(fmt.Sprintf("one cause of %d: %s", len(cause.IDs), cause.Text), b.ascii))
	}
	return all
}

// places numbers the groups as they were told.
func (b *reachBoard) places() map[string]int {
	places := map[string]int{}
	for _, row := range b.rows {
		if _, known := places[row.Check.Group]; !known {
			places[row.Check.Group] = len(places)
		}
	}
	return places
}

func (b *reachBoard) needsAttention() bool {
	return slices.ContainsFunc(b.rows, func(row *reachRow) bool { return row.Status() == pane.Failed || row.Status() == pane.Warn })
}

// attention tells whether a row is more than well.
func (r *reachRow) attention() bool { return r.Status() != pane.OK && r.Status() != pane.Waiting }

// at is the place of the selected row in the list; -1 if the list is empty.
func (b *reachBoard) at() int {
	rows, id := b.list().rows, cleanText(b.selected, b.ascii)
	i := slices.IndexFunc(rows, func(e *pane.Endpoint) bool { return e.Check.ID == id })
	return max(i, min(0, len(rows)-1))
}

// current is the selected row, or nil.
func (b *reachBoard) current() *reachRow {
	i := b.at()
	if i < 0 {
		return nil
	}
	chosen := b.list().rows[i]
	for _, row := range b.rows {
		if &row.Endpoint == chosen {
			return row
		}
	}
	return nil
}

// move selects the row that is so many lines further; it tells whether there was one.
func (b *reachBoard) move(by int) bool {
	rows, at := b.list().rows, b.at()
	to := min(max(at+by, 0), len(rows)-1)
	if to < 0 || to == at && b.selected != "" {
		return false
	}
	b.selectRow(rows[to])
	return to != at
}

func (b *reachBoard) selectRow(e *pane.Endpoint) {
	for _, row := range b.rows {
		if &row.Endpoint == e {
			b.selected, b.choice = row.check.ID, nil
		}
	}
}

// face looks from the next vantage, or the one before.
func (b *reachBoard) face(by int) {
	if n := len(b.vantages); n > 0 {
		b.facing = (b.facing + by + n) % n
	}
}

// columns are the names of the vantages where there is little room.
func (b *reachBoard) columns() []string {
	columns := make([]string, len(b.vantages))
	for i, name := range b.names {
		columns[i] = pane.VantageColumn(name)
	}
	return columns
}

// table draws the list.
func (b *reachBoard) table(theme pane.Theme) pane.Endpoints {
	list := b.list()
	return pane.Endpoints{
		Theme: theme, Columns: b.columns(), Facing: b.facing, Rows: list.rows, Grouped: list.grouped, Selected: b.at(), Folded: list.folded,
		Causes: list.causes,
	}
}

// details draws what is known about the selected row.
func (b *reachBoard) details(theme pane.Theme) pane.EndpointDetails {
	details := pane.EndpointDetails{Theme: theme, Vantages: b.names}
	if row := b.current(); row != nil {
		details.Endpoint, details.Facing = &row.Endpoint, b.focus(row)
	}
	return details
}

// focus is the vantage from which a row is told about: the one that is looked at, unless all is well from there and
// something is wrong from another.
func (b *reachBoard) focus(row *reachRow) int {
	if status := row.Sight(b.facing).Status; status != pane.OK && status != pane.Waiting {
		return b.facing
	}
	for i, sight := range row.Sights {
		if sight.Status == pane.Failed || sight.Status == pane.Warn {
			return i
		}
	}
	return b.facing
}

// tally counts how many are well from a vantage, of how many that were looked at, and how it is where it is worst.
func (b *reachBoard) tally(vantage int) (good, looked int, worst pane.Status) {
	for _, row := range b.rows {
		sight := row.Sights[vantage]
		if status := pane.StatusOf(sight.Result.Verdict); status != pane.Waiting && status != pane.Skipped {
			looked++
			if status == pane.OK {
				good++
			}
			worst = pane.Worse(worst, status)
		}
	}
	return good, looked, worst
}

// findings counts what needs attention.
func (b *reachBoard) findings() int {
	n := 0
	for _, row := range b.rows {
		if status := row.Status(); status == pane.Failed || status == pane.Warn {
			n++
		}
	}
	return n
}
