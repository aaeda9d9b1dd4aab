package tui

import (
	"maps"
	"slices"
	"strings"
	"time"

	"exoshift/tui/pane"
	"exoshift/wizard/reach"
)

// reachBoard is what is known about every service from every vantage, and which of that the operator looks at.
type reachBoard struct {
	ascii    bool
	vantages []string
	names    []string // of the vantages, made harmless
	rows     []*reachRow
	byID     map[string]*reachRow
	log      []transition

	facing   int    // the vantage that is looked at
	all      bool   // also what is well
	word     string // by which the list is filtered
	selected string // ID; "" for the first
	choice   *reachChoice
}

// reachRow is one service, made harmless for the terminal, and its results as they were told.
type reachRow struct {
	pane.Endpoint
	check   reach.Check
	results []reach.Result // by vantage; without a verdict if there is none
	words   string         // that a filter finds
}

func newReachBoard(vantages []string, ascii bool) *reachBoard {
	b := &reachBoard{ascii: ascii, vantages: vantages, byID: map[string]*reachRow{}}
	for _, vantage := range vantages {
		b.names = append(b.names, cleanText(vantage, ascii))
	}
	return b
}

// add takes a check in, or another version of it.
func (b *reachBoard) add(check reach.Check) *reachRow {
	row := b.byID[check.ID]
	if row == nil {
		row = &reachRow{results: make([]reach.Result, len(b.vantages))}
		row.Sights = make([]pane.Sight, len(b.vantages))
		b.rows, b.byID[check.ID] = append(b.rows, row), row
	}
	row.check, row.Check = check, cleanCheckOf(check, b.ascii)
	row.index()
	b.choice = nil
	return row
}

// index gathers what a filter finds.
func (r *reachRow) index() {
	parts := []string{r.Check.ID, r.Check.Title, r.Check.Group, r.Host(), r.Check.Owner}
	for _, sight := range r.Sights {
		parts = append(parts, string(sight.Result.Class), sight.Result.Target)
	}
	r.words = strings.ToLower(strings.Join(parts, " "))
}

// column is the place of a vantage, or -1.
func (b *reachBoard) column(vantage string) int { return slices.Index(b.vantages, vantage) }

// expect says that checks are on their way; nil: all of them.
func (b *reachBoard) expect(vantage int, ids []string) {
	for _, row := range b.rows {
		if ids == nil || slices.Contains(ids, row.check.ID) {
			row.Sights[vantage].Status = pane.Running
		}
	}
	b.choice = nil
}

// settle says that nothing is on its way any more: what was not told stays as it was.
func (b *reachBoard) settle(vantage int) {
	for _, row := range b.rows {
		if sight := &row.Sights[vantage]; sight.Status == pane.Running {
			sight.Status = pane.StatusOf(row.results[vantage].Verdict)
		}
	}
	b.choice = nil
}

// hear takes a result in.
func (b *reachBoard) hear(vantage int, r reach.Result, now time.Time) {
	if vantage < 0 || vantage >= len(b.vantages) {
		return
	}
	row := b.byID[r.ID]
	if row == nil {
		row = b.add(reach.Check{ID: r.ID, Title: r.Target, Group: r.Group, Phase: r.Phase, Owner: r.Owner, Severity: r.Severity})
	}
	cleaned := cleanResult(r, b.ascii)
	b.note(row, vantage, cleaned, now)
	row.results[vantage] = r
	row.Sights[vantage] = pane.Sight{
		Status: pane.StatusOf(r.Verdict), Result: cleaned, ByHand: cleanLines(reach.ByHand(row.check, r), b.ascii),
	}
	row.index()
	b.choice = nil
}

// forget drops what was seen from a vantage.
func (b *reachBoard) forget(vantage int) {
	for _, row := range b.rows {
		row.results[vantage], row.Sights[vantage] = reach.Result{}, pane.Sight{}
	}
	b.choice = nil
}

// skip marks a check as one that is not made.
func (b *reachBoard) skip(id, reason string, until, now time.Time) {
	row := b.byID[id]
	if row == nil {
		return
	}
	for vantage, r := range row.results {
		if r.Verdict == "" {
			continue
		}
		r.Verdict, r.Class, r.Hint = reach.Skipped, "", ""
		r.Layers = reach.Layers{DNS: reach.LayerNone, TCP: reach.LayerNone, TLS: reach.LayerNone, HTTP: reach.LayerNone}
		r.Evidence = map[string]string{reach.EvidenceSkipped: reason, reach.EvidenceUntil: until.Format(time.DateOnly)}
		b.hear(vantage, r, now)
	}
}

// results are all that were told, one vantage after the other.
func (b *reachBoard) results() []reach.Result {
	results := []reach.Result{}
	for vantage := range b.vantages {
		for _, row := range b.rows {
			if r := row.results[vantage]; r.Verdict != "" {
				results = append(results, r)
			}
		}
	}
	return results
}

// checks are those that were told, as they were told.
func (b *reachBoard) checks() []reach.Check {
	checks := make([]reach.Check, 0, len(b.rows))
	for _, row := range b.rows {
		checks = append(checks, row.check)
	}
	return checks
}

// cleanCheckOf makes a check harmless for the terminal.
func cleanCheckOf(c reach.Check, ascii bool) reach.Check {
	for _, text := range []*string{&c.ID, &c.Title, &c.Group, &c.URL, &c.Phase, &c.Owner, &c.Reason, &c.Hint, (*string)(&c.Severity)} {
		*text = cleanText(*text, ascii)
	}
	c.From, c.Needs, c.Expect = nil, nil, nil
	return c
}

// cleanResult makes a result harmless for the terminal.
func cleanResult(r reach.Result, ascii bool) reach.Result {
	for _, text := range []*string{
		&r.ID, &r.Group, &r.Target, &r.Vantage, &r.Phase, &r.Owner, (*string)(&r.Severity), (*string)(&r.Verdict), (*string)(&r.Class),
		(*string)(&r.Layers.DNS), (*string)(&r.Layers.TCP), (*string)(&r.Layers.TLS), (*string)(&r.Layers.HTTP),
	} {
		*text = cleanText(*text, ascii)
	}
	r.Hint = cleanLines(r.Hint, ascii)
	r.Evidence = maps.Clone(r.Evidence)
	for key, value := range r.Evidence {
		delete(r.Evidence, key)
		r.Evidence[cleanText(key, ascii)] = cleanText(value, ascii)
	}
	return r
}
