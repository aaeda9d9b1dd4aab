package console

import (
	"fmt"
	"strings"

	"exoshift/wizard/reach"
)

func writeMarkdownHeader(out *strings.Builder, v ConnectivityReport) {
	fmt.Fprintf(out, "- Checked: %s, in %s\n", formatTime(v.Report.Started), formatMillis(v.Report.TookMS))
	for _, vantage := range v.listSources() {
		fmt.Fprintf(out, "- From %s: %s\n", escapeMarkdown(vantage), v.formatCounts(vantage))
	}
	if len(v.Report.Results) == 0 {
		fmt.Fprintln(out, "- Nothing was checked")
	}
	for _, row := range []struct{ name, value string }{{"OpenShift", v.Release}, {"Made by", v.Program}} {
		if row.value != "" {
			fmt.Fprintf(out, "- %s: %s\n", row.name, escapeMarkdown(row.value))
		}
	}
}

func writeMarkdownCauses(out *strings.Builder, causes commonCauses) {
	var rows [][]any
	for i, cause := range causes {
		rows = append(rows, []any{i + 1, cause.Text, len(cause.IDs), cause.Hint})
	}
	writeMarkdownTable(out, "Common causes", []string{"Cause", "Cause", "Problems", "Fix"}, rows)
}

func writeMarkdownRequest(out *strings.Builder, v ConnectivityReport) {
	var rows [][]any
	for _, d := range reach.ListFirewallRules(v.Report, v.Checks) {
		rows = append(rows, []any{string(d.Ask), d.Source, code(d.Destination), d.Port, d.Reason, d.Proof, describeOwner(d.Owner), d.ID})
	}
	writeMarkdownTable(out, "Firewall request", []string{"What", "Source", "Destination", "Port", "Reason", "Proof", "Who", "Checks"}, rows)
}

func writeMarkdownSkipped(out *strings.Builder, v ConnectivityReport) {
	var rows [][]any
	for _, r := range v.Report.Results {
		if r.Verdict == reach.Skipped {
			rows = append(rows, []any{r.ID, code(r.Target), r.Source, r.Evidence[reach.EvidenceSkipped], r.Evidence[reach.EvidenceUntil]})
		}
	}
	writeMarkdownTable(out, "Not checked", []string{"Check", "Target", "From", "Reason", "Until"}, rows)
	rows = nil
	for _, r := range v.Report.Results {
		if ended := r.Evidence[reach.EvidenceExpiredSkip]; ended != "" {
			rows = append(rows, []any{r.ID, code(r.Target), r.Source, ended})
		}
	}
	writeMarkdownTable(out, "Checked again because the skip has expired", []string{"Check", "Target", "From", "Skip"}, rows)
}

func writeMarkdownChanges(out *strings.Builder, v ConnectivityReport) {
	if !v.Compared {
		return
	}
	if len(v.Changes) == 0 {
		fmt.Fprintln(out, "\nNo changes since the earlier report.")
	}
	var rows [][]any
	for _, change := range sortChanges(v.Changes) {
		r := change.Result()
		rows = append(rows, []any{string(change.Direction()), r.ID, code(r.Target), r.Source, formatTransition(change)})
	}
	writeMarkdownTable(out, "Since the earlier report", []string{"Turn", "Check", "Target", "From", "Change"}, rows)
}

func writeMarkdownOK(out *strings.Builder, v ConnectivityReport) {
	var targets []string
	for _, row := range v.groupRows() {
		if row.findWorst().Verdict == reach.OK {
			targets = append(targets, code(row.target).String())
		}
	}
	if len(targets) > 0 {
		fmt.Fprintf(out, "\nWell: %s\n", strings.Join(targets, ", "))
	}
}

func writeMarkdownTable(out *strings.Builder, title string, columns []string, rows [][]any) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(out, "\n## %s\n\n| %s |\n|%s\n", title, strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)))
	for _, row := range rows {
		safe := make([]string, len(row))
		for i, cell := range row {
			safe[i] = formatMarkdownCell(cell)
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(safe, " | "))
	}
}

func formatMarkdownCell(cell any) string {
	if verbatim, ok := cell.(code); ok {
		return verbatim.String()
	}
	return escapeMarkdown(fmt.Sprint(cell))
}

// code is rendered as code, so that no host becomes a link.
type code string

func (c code) String() string {
	text := strings.NewReplacer("`", "'", "|", `\|`).Replace(SanitizeLine(string(c)))
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// escapeMarkdown makes a text safe for Markdown: nothing in it is taken as markup, HTML or the end of a cell.
func escapeMarkdown(text string) string {
	var safe strings.Builder
	for _, r := range SanitizeLine(text) {
		if strings.ContainsRune("\\`*_[]<|#~&", r) {
			safe.WriteByte('\\')
		}
		safe.WriteRune(r)
	}
	return safe.String()
}
