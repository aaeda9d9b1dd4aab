package tui

import (
	"maps"
	"slices"
	"strings"
	"time"

	"exoshift/tui/cells"
	"exoshift/tui/components/preflight"
	"exoshift/tui/theme"
	"exoshift/wizard/reach"
)

// probeBoard holds the results of every check from every source, and the state of their list.
type probeBoard struct {
	ascii       bool
	sources     []string
	sourceNames []string // of the sources, sanitized
	rows        []*probeRow
	byID        map[string]*probeRow
	log         []transition

	source     int    // the selected source
	showAll    bool   // also passed checks
	filter     string // by which the list is filtered
	selected   string // ID; "" for the first
	cachedList *probeList
}

// probeRow is one service, sanitized for the terminal, with its results as reported.
type probeRow struct {
	preflight.Endpoint
	check      reach.Check
	results    []reach.Result // by source; without a verdict if there is none
	searchText string         // matched by the filter
}

func newProbeBoard(vantages []string, ascii bool) *probeBoard {
	b := &probeBoard{ascii: ascii, sources: vantages, byID: map[string]*probeRow{}}
	for _, vantage := range vantages {
		b.sourceNames = append(b.sourceNames, cells.SanitizeText(vantage, ascii))
	}
	return b
}

// add adds a check or updates it.
func (b *probeBoard) add(check reach.Check) *probeRow {
	row := b.byID[check.ID]
	if row == nil {
		row = &probeRow{results: make([]reach.Result, len(b.sources))}
		row.Results = make([]preflight.SourceResult, len(b.sources))
		b.rows, b.byID[check.ID] = append(b.rows, row), row
	}
	row.check, row.Check = check, sanitizeCheck(check, b.ascii)
	row.updateSearchText()
	b.cachedList = nil
	return row
}

func (r *probeRow) updateSearchText() {
	parts := []string{r.Check.ID, r.Check.Title, r.Check.Group, r.Host(), r.Check.Owner}
	for _, sight := range r.Results {
		parts = append(parts, string(sight.Result.Class), sight.Result.Target)
	}
	r.searchText = strings.ToLower(strings.Join(parts, " "))
}

func (b *probeBoard) findColumn(vantage string) int { return slices.Index(b.sources, vantage) }

// nil: all of them.
func (b *probeBoard) markRunning(vantage int, ids []string) {
	for _, row := range b.rows {
		if ids == nil || slices.Contains(ids, row.check.ID) {
			row.Results[vantage].Status = theme.Running
		}
	}
	b.cachedList = nil
}

// Checks without a new result keep the previous one.
func (b *probeBoard) clearRunning(vantage int) {
	for _, row := range b.rows {
		if sight := &row.Results[vantage]; sight.Status == theme.Running {
			sight.Status = preflight.MapVerdict(row.results[vantage].Verdict)
		}
	}
	b.cachedList = nil
}

func (b *probeBoard) recordResult(vantage int, r reach.Result, now time.Time) {
	if vantage < 0 || vantage >= len(b.sources) {
		return
	}
	row := b.byID[r.ID]
	if row == nil {
		row = b.add(reach.Check{ID: r.ID, Title: r.Target, Group: r.Group, Phase: r.Phase, Owner: r.Owner, Severity: r.Severity})
	}
	cleaned := sanitizeResult(r, b.ascii)
	b.recordTransition(row, vantage, cleaned, now)
	row.results[vantage] = r
	row.Results[vantage] = preflight.SourceResult{
		Status: preflight.MapVerdict(r.Verdict), Result: cleaned, Command: cells.SanitizeLines(reach.BuildCommand(row.check, r), b.ascii),
	}
	row.updateSearchText()
	b.cachedList = nil
}

func (b *probeBoard) clearSource(vantage int) {
	for _, row := range b.rows {
		row.results[vantage], row.Results[vantage] = reach.Result{}, preflight.SourceResult{}
	}
	b.cachedList = nil
}

func (b *probeBoard) markSkipped(id, reason string, until, now time.Time) {
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
		b.recordResult(vantage, r, now)
	}
}

// The results are ordered by source.
func (b *probeBoard) listResults() []reach.Result {
	results := []reach.Result{}
	for vantage := range b.sources {
		for _, row := range b.rows {
			if r := row.results[vantage]; r.Verdict != "" {
				results = append(results, r)
			}
		}
	}
	return results
}

// listChecks returns the checks as reported, not sanitized.
func (b *probeBoard) listChecks() []reach.Check {
	checks := make([]reach.Check, 0, len(b.rows))
	for _, row := range b.rows {
		checks = append(checks, row.check)
	}
	return checks
}

func sanitizeCheck(c reach.Check, ascii bool) reach.Check {
	for _, text := range []*string{&c.ID, &c.Title, &c.Group, &c.URL, &c.Phase, &c.Owner, &c.Reason, &c.Hint, (*string)(&c.Severity)} {
		*text = cells.SanitizeText(*text, ascii)
	}
	c.From, c.Needs, c.Expect = nil, nil, nil
	return c
}

func sanitizeResult(r reach.Result, ascii bool) reach.Result {
	for _, text := range []*string{
		&r.ID, &r.Group, &r.Target, &r.Source, &r.Phase, &r.Owner, (*string)(&r.Severity), (*string)(&r.Verdict), (*string)(&r.Class),
		(*string)(&r.Layers.DNS), (*string)(&r.Layers.TCP), (*string)(&r.Layers.TLS), (*string)(&r.Layers.HTTP),
	} {
		*text = cells.SanitizeText(*text, ascii)
	}
	r.Hint = cells.SanitizeLines(r.Hint, ascii)
	r.Evidence = maps.Clone(r.Evidence)
	for key, value := range r.Evidence {
		delete(r.Evidence, key)
		r.Evidence[cells.SanitizeText(key, ascii)] = cells.SanitizeText(value, ascii)
	}
	return r
}
