package console

import (
	"fmt"
	"io"
	"strings"

	"exoshift/internal/text"
	"exoshift/wizard/reach"
)

const detailIndent = 6

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
	v.writeCauses(&out, causes)
	v.writeRows(&out, causes)
	v.writeRequest(&out)
	if v.Compared {
		v.writeDiff(&out)
	}
	return writeText(w, &out)
}

func writeLines(out *strings.Builder, all []string) {
	for _, line := range all {
		fmt.Fprintln(out, line)
	}
}

func (v ConnectivityReport) writeRows(out *strings.Builder, causes commonCauses) {
	rows, vantages := v.groupRows(), v.listSources()
	table := cells{append(append([]string{"", ""}, vantages...), "DNS", "TCP", "TLS", "HTTP", causes.formatHeading())}
	for _, row := range rows {
		table = append(table, append(row.formatCells(vantages), causes.formatNumbers(row.results)))
	}
	aligned := table.formatLines("  ")
	group, told := "\x00", map[string]string{}
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
				v.writeDetails(out, r, len(vantages) > 1, told)
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
func (v ConnectivityReport) writeDetails(out *strings.Builder, r reach.Result, several bool, told map[string]string) {
	vantage := ""
	if several {
		vantage = SanitizeLine(r.Source)
	}
	if r.Verdict != reach.OK {
		writeParagraph(out, "", text.Join(": ", vantage, SanitizeLine(r.Describe())))
	}
	switch above := told[r.Hint]; {
	case !isProblem(r):
	case above != "" && r.Hint != "":
		writeParagraph(out, "do    ", "the same as for "+SanitizeLine(above))
	default:
		told[r.Hint] = r.ID
		writeParagraph(out, "do    ", SanitizeLine(r.Hint))
		if test := SanitizeLine(reach.BuildCommand(v.findCheck(r.ID), r)); test != "" { // whole, to be copied
			fmt.Fprintf(out, "%stest  %s\n", strings.Repeat(" ", detailIndent), test)
		}
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
