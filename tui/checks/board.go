package checks

import (
	"maps"
	"slices"
	"strings"
	"time"

	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/components/preflight"
	"exoshift/tui/theme"
	"exoshift/wizard/reach"
	"exoshift/wizard/reach/command"
)

// Board holds the results of every check from every source, and the state of their list.
type Board struct {
	ascii       bool
	Sources     []string
	sourceNames []string // of the sources, sanitized
	Rows        []*Row
	ByID        map[string]*Row
	Log         []transition

	Source     int  // the selected source
	ShowAll    bool // also passed checks
	Filter     components.Filter
	Selected   string // ID; "" for the first
	CachedList *List
}

// Row is one service, sanitized for the terminal, with its results as reported.
type Row struct {
	preflight.Endpoint
	Reported        reach.Check    // as reported
	ReportedResults []reach.Result // by source; without a verdict if there is none
	searchText      string         // matched by the filter
}

// NewBoard returns a board without checks, with a column for each source.
func NewBoard(vantages []string, ascii bool) *Board {
	b := &Board{ascii: ascii, Sources: vantages, ByID: map[string]*Row{}}
	for _, vantage := range vantages {
		b.sourceNames = append(b.sourceNames, cells.SanitizeText(vantage, ascii))
	}
	return b
}

// Add adds a check or updates it.
func (b *Board) Add(check reach.Check) *Row {
	row := b.ByID[check.ID]
	if row == nil {
		row = &Row{ReportedResults: make([]reach.Result, len(b.Sources))}
		row.Results = make([]preflight.SourceResult, len(b.Sources))
		b.Rows, b.ByID[check.ID] = append(b.Rows, row), row
	}
	row.Reported, row.Check = check, sanitizeCheck(check, b.ascii)
	row.updateSearchText()
	b.CachedList = nil
	return row
}

func (r *Row) updateSearchText() {
	parts := []string{r.Check.ID, r.Check.Title, r.Check.Group, r.Host(), r.Check.Owner}
	for _, sight := range r.Results {
		parts = append(parts, string(sight.Result.Class), sight.Result.Target)
	}
	r.searchText = strings.ToLower(strings.Join(parts, " "))
}

// FindColumn returns the index of a source; -1 if it has no column.
func (b *Board) FindColumn(vantage string) int { return slices.Index(b.Sources, vantage) }

// MarkRunning marks the checks of those IDs as running from a source; nil: all of them.
func (b *Board) MarkRunning(vantage int, ids []string) {
	for _, row := range b.Rows {
		if ids == nil || slices.Contains(ids, row.Reported.ID) {
			row.Results[vantage].Status = theme.Running
		}
	}
	b.CachedList = nil
}

// ClearRunning ends a run from a source. Checks without a new result keep the previous one.
func (b *Board) ClearRunning(vantage int) {
	for _, row := range b.Rows {
		if sight := &row.Results[vantage]; sight.Status == theme.Running {
			sight.Status = preflight.MapVerdict(row.ReportedResults[vantage].Verdict)
		}
	}
	b.CachedList = nil
}

// RecordResult records a result from a source.
func (b *Board) RecordResult(vantage int, r reach.Result, now time.Time) {
	if vantage < 0 || vantage >= len(b.Sources) {
		return
	}
	row := b.ByID[r.ID]
	if row == nil {
		row = b.Add(reach.Check{ID: r.ID, Title: r.Target, Group: r.Group, Phase: r.Phase, Owner: r.Owner, Severity: r.Severity})
	}
	cleaned := sanitizeResult(r, b.ascii)
	b.recordTransition(row, vantage, cleaned, now)
	row.ReportedResults[vantage] = r
	row.Results[vantage] = preflight.SourceResult{
		Status: preflight.MapVerdict(r.Verdict), Result: cleaned, Command: cells.SanitizeLines(command.Build(row.Reported, r), b.ascii),
	}
	row.updateSearchText()
	b.CachedList = nil
}

// ClearSource forgets all results from a source.
func (b *Board) ClearSource(vantage int) {
	for _, row := range b.Rows {
		row.ReportedResults[vantage], row.Results[vantage] = reach.Result{}, preflight.SourceResult{}
	}
	b.CachedList = nil
}

// MarkSkipped marks a check as skipped.
func (b *Board) MarkSkipped(skip reach.Skip, now time.Time) {
	row := b.ByID[skip.ID]
	if row == nil {
		return
	}
	for vantage, r := range row.ReportedResults {
		if r.Verdict != "" {
			b.RecordResult(vantage, skip.Apply(r), now)
		}
	}
}

// ListResults returns all results, ordered by source.
func (b *Board) ListResults() []reach.Result {
	results := []reach.Result{}
	for vantage := range b.Sources {
		for _, row := range b.Rows {
			if r := row.ReportedResults[vantage]; r.Verdict != "" {
				results = append(results, r)
			}
		}
	}
	return results
}

// ListChecks returns the checks as reported, not sanitized.
func (b *Board) ListChecks() []reach.Check {
	checks := make([]reach.Check, 0, len(b.Rows))
	for _, row := range b.Rows {
		checks = append(checks, row.Reported)
	}
	return checks
}

// MarkAbsent marks the checks that a full run from a source does not include: they apply to other sources. Without any result
// from the source nothing is marked.
func (b *Board) MarkAbsent(vantage int) {
	var left []*Row
	for _, row := range b.Rows {
		if row.ReportedResults[vantage].Verdict == "" && row.Results[vantage].Status == theme.Waiting {
			left = append(left, row)
		}
	}
	if len(left) == len(b.Rows) {
		return
	}
	for _, row := range left {
		row.Results[vantage].NotApplicable = true
	}
	b.CachedList = nil
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

// FormatHelp returns the help on the problem of a row.
func (r *Row) FormatHelp() string {
	help := r.Check.Title + "\nWhat: " + r.Check.ID + ", " + r.Target()
	if r.Check.Reason != "" {
		help += "\nWhy: " + r.Check.Reason
	}
	return help
}

// isNotable reports whether a row needs attention or is running.
func (r *Row) isNotable() bool { return r.Status() != theme.OK && r.Status() != theme.Waiting }

// Describe returns the result of a row in a sentence.
func (r *Row) Describe() string {
	return r.Check.ID + " " + r.Check.Title + ", " + r.Host() + ". " + r.Check.Reason
}
