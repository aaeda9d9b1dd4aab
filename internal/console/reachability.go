package console

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"exoshift/internal/stable"
	"exoshift/internal/text"
	"exoshift/wizard/reach"
	"exoshift/wizard/reach/difference"
)

// ConnectivityReport is a connectivity report for people and programs. Its output depends only on its content.
type ConnectivityReport struct {
	Report  reach.Report
	Checks  []reach.Check // of the report, for reasons and commands
	Title   string        // e.g. "c-demo-1 in ch-gva-2"; may be empty
	Program string        // that created it, with its version; may be empty
	Release string        // requested OpenShift release; may be empty

	Changes  []difference.Change // since an earlier report
	Compared bool                // with an earlier report
}

// WriteJSON writes the report for programs. ReadReport of package reach reads it.
func (v ConnectivityReport) WriteJSON(w io.Writer) error { return reach.WriteReport(w, v.Report) }

func writeText(w io.Writer, text *strings.Builder) error {
	_, err := io.WriteString(w, text.String())
	return err
}

// findCheck returns an empty check if the ID is unknown.
func (v ConnectivityReport) findCheck(id string) reach.Check {
	if i := slices.IndexFunc(v.Checks, func(c reach.Check) bool { return c.ID == id }); i >= 0 {
		return v.Checks[i]
	}
	return reach.Check{}
}

func (v ConnectivityReport) listSources() (all []string) {
	for _, r := range v.Report.Results {
		if !slices.Contains(all, r.Source) {
			all = append(all, r.Source)
		}
	}
	return all
}

// endpointRow is one check with its results from all sources.
type endpointRow struct {
	group, id, target string
	results           []reach.Result
}

// groupRows keeps the order of the report for groups and checks.
func (v ConnectivityReport) groupRows() (rows []endpointRow) {
	var groups []string
	at := map[string]int{}
	for _, r := range v.Report.Results {
		if !slices.Contains(groups, r.Group) {
			groups = append(groups, r.Group)
		}
		key := r.Group + "\x00" + r.ID + "\x00" + r.Target
		i, known := at[key]
		if !known {
			i = len(rows)
			at[key] = i
			rows = append(rows, endpointRow{group: r.Group, id: r.ID, target: r.Target})
		}
		rows[i].results = append(rows[i].results, r)
	}
	stable.Sort(rows, func(a, b endpointRow) int { return slices.Index(groups, a.group) - slices.Index(groups, b.group) })
	return rows
}

func (row endpointRow) fromSource(vantage string) (reach.Result, bool) {
	i := slices.IndexFunc(row.results, func(r reach.Result) bool { return r.Source == vantage })
	if i < 0 {
		return reach.Result{}, false
	}
	return row.results[i], true
}

func (row endpointRow) findWorst() reach.Result {
	for _, verdict := range []reach.Verdict{reach.Fail, reach.Warn, reach.Skipped} {
		for _, r := range row.results {
			if r.Verdict == verdict {
				return r
			}
		}
	}
	return row.results[0]
}

var groupTitles = map[string]string{ //nolint:gochecknoglobals // a table that nothing changes
	"vshn": "VSHN", "redhat": "Red Hat and OpenShift", "third-party": "Third parties", "exoscale": "Exoscale",
	"cluster": "The cluster itself", "customer": "Your own endpoints",
}

func formatGroup(group string) string {
	if title, known := groupTitles[group]; known {
		return title
	}
	return SanitizeLine(group)
}

// formatVerdict writes failures in capitals, so that they stand out in a column.
func formatVerdict(v reach.Verdict) string {
	switch v {
	case reach.Fail:
		return "FAILED"
	case "":
		return "-"
	}
	return SanitizeLine(string(v))
}

// formatCounts counts the verdicts from one source, "" for all: "31 ok, 1 warning, 2 failed, 1 skipped".
func (v ConnectivityReport) formatCounts(vantage string) string {
	verdicts := text.NewCounts("ok", "warning", "failed", "skipped")
	names := map[reach.Verdict]string{reach.OK: "ok", reach.Warn: "warning", reach.Fail: "failed", reach.Skipped: "skipped"}
	for _, r := range v.Report.Results {
		if vantage == "" || r.Source == vantage {
			verdicts.Add(names[r.Verdict])
		}
	}
	if verdicts.Total() == 0 {
		return "nothing was checked"
	}
	return strings.Replace(verdicts.String(), " warning", " "+strings.TrimLeft(text.Plural(verdicts.Of("warning"), "warning"), "0123456789 "), 1)
}

func (v ConnectivityReport) formatHeadline() string {
	title := "Reachability"
	if v.Title != "" {
		title += " of " + SanitizeLine(v.Title)
	}
	return fmt.Sprintf("%s, %s, in %s", title, formatTime(v.Report.Started), formatMillis(v.Report.TookMS))
}

func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") }

func formatMillis(ms int64) string { return fmt.Sprintf("%.1f s", float64(ms)/1000) }

func isProblem(r reach.Result) bool { return r.Verdict == reach.Fail || r.Verdict == reach.Warn }

// listProblems returns failures, then warnings, each in the order of the report.
func (v ConnectivityReport) listProblems() (all []reach.Result) {
	for _, verdict := range []reach.Verdict{reach.Fail, reach.Warn} {
		for _, r := range v.Report.Results {
			if r.Verdict == verdict {
				all = append(all, r)
			}
		}
	}
	return all
}

// formatExpiredSkip returns "" unless the skip has expired.
func formatExpiredSkip(r reach.Result) string {
	return withPrefix("this skip has expired: ", SanitizeLine(r.Evidence[reach.EvidenceExpiredSkip]))
}

func (v ConnectivityReport) listCauses() commonCauses { return reach.CommonCauses(v.Report) }

// WriteDiff writes the changes since an earlier report.
func (v ConnectivityReport) WriteDiff(w io.Writer) error {
	var out strings.Builder
	writeDiff(&out, v)
	return writeText(w, &out)
}

// WriteJUnit writes the report as test results: a suite for each source and group, a case for each check. A warning is a case
// that passed, with output.
func (v ConnectivityReport) WriteJUnit(w io.Writer) error {
	all := junitSuites{Name: text.Join(" ", "exoshift check", SanitizeLine(v.Title)), Time: formatJUnitSeconds(v.Report.TookMS)}
	for _, r := range v.Report.Results {
		suite := all.ensureSuite(SanitizeLine(r.Source)+"/"+SanitizeLine(r.Group), v.Report.Started)
		suite.add(r, newJUnitCase(v, r))
		all.Tests++
	}
	for _, suite := range all.Suites {
		all.Failures += suite.Failures
		all.Skipped += suite.Skipped
	}
	content, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("write the report as XML: %w", err)
	}
	_, err = io.WriteString(w, xml.Header+string(content)+"\n")
	return err
}

// WriteMarkdown writes the report for a ticket: problems, the firewall request, unchecked items, and passed checks in a line.
func (v ConnectivityReport) WriteMarkdown(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "# Reachability%s\n\n", withPrefix(" of ", escapeMarkdown(v.Title)))
	writeMarkdownHeader(&out, v)
	causes := v.listCauses()
	writeMarkdownCauses(&out, causes)
	var problems [][]any
	for _, r := range v.listProblems() {
		todo := r.Hint
		if n := causes.getNumber(r); n > 0 {
			todo = causes.formatReference(n)
		}
		problems = append(problems, []any{formatVerdict(r.Verdict), r.ID, code(r.Target), r.Source, r.Layers.FormatLine(), r.Describe(), todo})
	}
	writeMarkdownTable(&out, "Problem", []string{"Verdict", "Check", "Target", "Source", "Layers", "Evidence", "Fix"}, problems)
	writeMarkdownRequest(&out, v)
	writeMarkdownSkipped(&out, v)
	writeMarkdownChanges(&out, v)
	writeMarkdownOK(&out, v)
	return writeText(w, &out)
}

// WriteShort writes a line of counts and a line for each problem or common cause, and for each skipped check, to paste into a
// chat.
func (v ConnectivityReport) WriteShort(w io.Writer) error {
	var out strings.Builder
	vantages := v.listSources()
	fmt.Fprintf(&out, "%s: %s\n", v.formatHeadline(), v.formatCounts(""))
	causes := v.listCauses()
	for _, cause := range causes {
		fmt.Fprintf(&out, "%-7s %s; %s\n", formatVerdict(findWorstVerdict(v, cause)), SanitizeLine(cause.String()), SanitizeLine(cause.Hint))
	}
	for _, r := range v.listProblems() {
		if causes.getNumber(r) == 0 {
			fmt.Fprintln(&out, formatProblemLine(r, len(vantages) > 1 || r.Source != reach.Workstation))
		}
	}
	for _, r := range v.Report.Results {
		if r.IsManualSkip() {
			fmt.Fprintln(&out, formatProblemLine(r, len(vantages) > 1))
		}
	}
	if v.Compared {
		writeDiff(&out, v)
	}
	return writeText(w, &out)
}

// WriteTable writes every check with its layers, problems and fixes below its row, and the firewall request.
func (v ConnectivityReport) WriteTable(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintln(&out, v.formatHeadline())
	var counts cells
	for _, vantage := range v.listSources() {
		counts = append(counts, []string{vantage, v.formatCounts(vantage)})
	}
	writeLines(&out, counts.formatLines("  "))
	causes := v.listCauses()
	writeCauses(&out, v, causes)
	writeRows(&out, v, causes)
	writeRequest(&out, v)
	if v.Compared {
		writeDiff(&out, v)
	}
	return writeText(w, &out)
}
