package console

import (
	"fmt"
	"strings"

	"exoshift/internal/text"
	"exoshift/wizard/reach"
	"exoshift/wizard/reach/command"
)

const detailIndent = 6

func writeLines(out *strings.Builder, all []string) {
	for _, line := range all {
		fmt.Fprintln(out, line)
	}
}

func writeRows(out *strings.Builder, v ConnectivityReport, causes commonCauses) {
	rows, vantages := v.groupRows(), v.listSources()
	table := cells{append(append([]string{"", ""}, vantages...), "DNS", "TCP", "TLS", "HTTP", causes.formatHeading())}
	for _, row := range rows {
		table = append(table, append(row.formatCells(vantages), causes.formatNumbers(row.results)))
	}
	aligned := table.formatLines("  ")
	group, found := "\x00", map[string]string{}
	for i, row := range rows {
		if row.group != group {
			if group = row.group; i == 0 {
				fmt.Fprintf(out, "\n%s\n", aligned[0])
			} else {
				fmt.Fprintln(out)
			}
			fmt.Fprintln(out, formatGroup(group))
		}
		fmt.Fprintln(out, aligned[i+1])
		for _, r := range row.results {
			if causes.getNumber(r) == 0 {
				writeDetails(out, v, r, len(vantages) > 1, found)
			}
		}
	}
}

func (row endpointRow) formatCells(vantages []string) []string {
	columns := []string{row.id, row.target}
	for _, vantage := range vantages {
		r, _ := row.fromSource(vantage)
		columns = append(columns, formatVerdict(r.Verdict))
	}
	layers := row.findWorst().Layers
	for _, layer := range []reach.Layer{layers.DNS, layers.TCP, layers.TLS, layers.HTTP} {
		columns = append(columns, formatLayer(layer))
	}
	return columns
}

func formatLayer(l reach.Layer) string {
	switch l {
	case reach.LayerOK:
		return "ok"
	case reach.LayerFail:
		return "FAIL"
	}
	return "-"
}

// writeDetails omits hints in told, which maps a hint to the check that it was written for: one cause may have many checks
// fail.
func writeDetails(out *strings.Builder, v ConnectivityReport, r reach.Result, several bool, found map[string]string) {
	vantage := ""
	if several {
		vantage = SanitizeLine(r.Source)
	}
	if r.Verdict != reach.OK {
		writeParagraph(out, "", text.Join(": ", vantage, SanitizeLine(r.Describe())))
	}
	switch above := found[r.Hint]; {
	case !isProblem(r):
	case above != "" && r.Hint != "":
		writeParagraph(out, "do    ", "the same as for "+SanitizeLine(above))
	default:
		found[r.Hint] = r.ID
		writeParagraph(out, "do    ", SanitizeLine(r.Hint))
		if test := SanitizeLine(command.Build(v.findCheck(r.ID), r)); test != "" { // whole, to be copied
			fmt.Fprintf(out, "%stest  %s\n", strings.Repeat(" ", detailIndent), test)
		}
		writeParagraph(out, "more  ", formatFirstExplanation(r.ID, string(r.Class)))
	}
	if ended := formatExpiredSkip(r); ended != "" {
		writeParagraph(out, "note  ", text.Join(": ", vantage, ended))
	}
}

func writeParagraph(out *strings.Builder, label, text string) {
	if text != "" {
		fmt.Fprintf(out, "%s%s%s\n", strings.Repeat(" ", detailIndent), label, wrapText(text, " ", detailIndent+len(label)))
	}
}

func formatProblemLine(r reach.Result, withVantage bool) string {
	from := ""
	if withVantage {
		from = "from " + SanitizeLine(r.Source)
	}
	line := fmt.Sprintf("%-7s %s: %s", formatVerdict(r.Verdict), text.Join(" ", SanitizeLine(r.ID), SanitizeLine(r.Target), from), SanitizeLine(r.Describe()))
	return text.Join("; ", line, formatExpiredSkip(r))
}
