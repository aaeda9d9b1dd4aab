package console

import (
	"fmt"
	"io"
	"strings"

	"exoshift/wizard/reach"
)

// Markdown writes the report for a ticket: what is wrong, the firewall request, what was not checked, and what is well
// in a line.
func (v Reachability) Markdown(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "# Reachability%s\n\n", prefixed(" of ", marked(v.Title)))
	v.markdownHead(&out)
	causes := v.causes()
	v.markdownCauses(&out, causes)
	var problems [][]any
	for _, r := range v.problems() {
		todo := r.Hint
		if n := causes.of(r); n > 0 {
			todo = causes.name(n)
		}
		problems = append(problems, []any{verdictWord(r.Verdict), r.ID, code(r.Target), r.Vantage, r.Layers.Strip(), r.Sentence(), todo})
	}
	markdownTable(&out, "What does not work", []string{"Verdict", "Check", "Target", "Seen from", "Layers", "What was seen", "What to do"}, problems)
	v.markdownRequest(&out)
	v.markdownSkipped(&out)
	v.markdownChanges(&out)
	v.markdownWell(&out)
	return written(w, &out)
}

func (v Reachability) markdownHead(out *strings.Builder) {
	fmt.Fprintf(out, "- Checked: %s, in %s\n", clock(v.Report.Started), seconds(v.Report.TookMS))
	for _, vantage := range v.vantages() {
		fmt.Fprintf(out, "- From %s: %s\n", marked(vantage), v.counted(vantage))
	}
	if len(v.Report.Results) == 0 {
		fmt.Fprintln(out, "- Nothing was checked")
	}
	for _, row := range []struct{ name, value string }{{"OpenShift", v.Release}, {"Made by", v.Program}} {
		if row.value != "" {
			fmt.Fprintf(out, "- %s: %s\n", row.name, marked(row.value))
		}
	}
}

func (v Reachability) markdownCauses(out *strings.Builder, causes commonCauses) {
	var rows [][]any
	for i, cause := range causes {
		rows = append(rows, []any{i + 1, cause.Text, len(cause.IDs), cause.Hint})
	}
	markdownTable(out, "What many of the problems come from", []string{"Cause", "What it is", "Problems", "What to do"}, rows)
}

func (v Reachability) markdownRequest(out *strings.Builder) {
	var rows [][]any
	for _, d := range reach.Demands(v.Report, v.Checks) {
		rows = append(rows, []any{string(d.Ask), d.Source, code(d.Destination), d.Port, d.Reason, d.Proof, ownerName(d.Owner), d.ID})
	}
	markdownTable(out, "Firewall request", []string{"What", "Source", "Destination", "Port", "Reason", "Proof", "Who", "Checks"}, rows)
}

func (v Reachability) markdownSkipped(out *strings.Builder) {
	var rows [][]any
	for _, r := range v.Report.Results {
		if r.Verdict == reach.Skipped {
			rows = append(rows, []any{r.ID, code(r.Target), r.Vantage, r.Evidence[reach.EvidenceSkipped], r.Evidence[reach.EvidenceUntil]})
		}
	}
	markdownTable(out, "Not checked", []string{"Check", "Target", "From", "Reason", "Until"}, rows)
	rows = nil
	for _, r := range v.Report.Results {
		if ended := r.Evidence[reach.EvidenceExpiredSkip]; ended != "" {
			rows = append(rows, []any{r.ID, code(r.Target), r.Vantage, ended})
		}
	}
	markdownTable(out, "Checked again, as the skip has ended", []string{"Check", "Target", "From", "Skip"}, rows)
}

func (v Reachability) markdownChanges(out *strings.Builder) {
	if !v.Compared {
		return
	}
	if len(v.Changes) == 0 {
		fmt.Fprintln(out, "\nNothing has changed since the earlier report.")
	}
	var rows [][]any
	for _, change := range sortedByTurn(v.Changes) {
		r := change.Result()
		rows = append(rows, []any{string(change.Turn()), r.ID, code(r.Target), r.Vantage, transition(change)})
	}
	markdownTable(out, "Since the earlier report", []string{"Turn", "Check", "Target", "From", "Change"}, rows)
}

// markdownWell names what is well from everywhere.
func (v Reachability) markdownWell(out *strings.Builder) {
	var targets []string
	for _, row := range v.rows() {
		if row.worst().Verdict == reach.OK {
			targets = append(targets, code(row.target).String())
		}
	}
	if len(targets) > 0 {
		fmt.Fprintf(out, "\nWell: %s\n", strings.Join(targets, ", "))
	}
}

// markdownTable writes a table with its title, unless it is empty.
func markdownTable(out *strings.Builder, title string, columns []string, rows [][]any) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(out, "\n## %s\n\n| %s |\n|%s\n", title, strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)))
	for _, row := range rows {
		safe := make([]string, len(row))
		for i, cell := range row {
			safe[i] = markdownCell(cell)
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(safe, " | "))
	}
}

func markdownCell(cell any) string {
	if verbatim, ok := cell.(code); ok {
		return verbatim.String()
	}
	return marked(fmt.Sprint(cell))
}

// code is set as it is, so that no host becomes a link.
type code string

func (c code) String() string {
	text := strings.NewReplacer("`", "'", "|", `\|`).Replace(Clean(string(c)))
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// marked makes a text safe for Markdown: nothing in it is taken as markup, HTML or the end of a cell.
func marked(text string) string {
	var safe strings.Builder
	for _, r := range Clean(text) {
		if strings.ContainsRune("\\`*_[]<|#~&", r) {
			safe.WriteByte('\\')
		}
		safe.WriteRune(r)
	}
	return safe.String()
}
