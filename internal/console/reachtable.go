package console

import (
	"fmt"
	"io"
	"strings"

	"exoshift/wizard/reach"
)

// under is how far what belongs to a row is indented.
const under = 6

// Table writes every check with its layers, what is wrong with what to do below its row, and the firewall request.
func (v Reachability) Table(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintln(&out, v.headline())
	var counts cells
	for _, vantage := range v.vantages() {
		counts = append(counts, []string{vantage, v.counted(vantage)})
	}
	lines(&out, counts.lines("  "))
	causes := v.causes()
	v.tableCauses(&out, causes)
	v.tableRows(&out, causes)
	v.request(&out)
	if v.Compared {
		v.difference(&out)
	}
	return written(w, &out)
}

func lines(out *strings.Builder, all []string) {
	for _, line := range all {
		fmt.Fprintln(out, line)
	}
}

// tableRows writes the rows; they are aligned across all groups.
func (v Reachability) tableRows(out *strings.Builder, causes commonCauses) {
	rows, vantages := v.rows(), v.vantages()
	table := cells{append(append([]string{"", ""}, vantages...), "DNS", "TCP", "TLS", "HTTP", causes.heading())}
	for _, row := range rows {
		table = append(table, append(row.cells(vantages), causes.numbers(row.results)))
	}
	aligned := table.lines("  ")
	group, told := "\x00", map[string]string{}
	for i, row := range rows {
		if row.group != group {
			if group = row.group; i == 0 {
				fmt.Fprintf(out, "\n%s\n", aligned[0])
			} else {
				fmt.Fprintln(out)
			}
			fmt.Fprintln(out, groupTitle(group))
		}
		fmt.Fprintln(out, aligned[i+1])
		for _, r := range row.results {
			if causes.of(r) == 0 {
				v.below(out, r, len(vantages) > 1, told)
			}
		}
	}
}

// cells writes the row of a check: the verdict from each vantage, and the layers from where it is worst.
func (row endpointRow) cells(vantages []string) []string {
	columns := []string{row.id, row.target}
	for _, vantage := range vantages {
		r, _ := row.from(vantage)
		columns = append(columns, verdictWord(r.Verdict))
	}
	layers := row.worst().Layers
	for _, layer := range []reach.Layer{layers.DNS, layers.TCP, layers.TLS, layers.HTTP} {
		columns = append(columns, layerWord(layer))
	}
	return columns
}

func layerWord(l reach.Layer) string {
	switch l {
	case reach.LayerOK:
		return "ok"
	case reach.LayerFail:
		return "FAIL"
	}
	return "-"
}

// below writes what is to be said about a result that is not simply well. told has the hints that were written, each
// with the check that it stands below: one cause may have many checks fail.
func (v Reachability) below(out *strings.Builder, r reach.Result, several bool, told map[string]string) {
	vantage := ""
	if several {
		vantage = Clean(r.Vantage)
	}
	if r.Verdict != reach.OK {
		paragraph(out, "", parts(": ", vantage, Clean(r.Sentence())))
	}
	switch above := told[r.Hint]; {
	case !isProblem(r):
	case above != "" && r.Hint != "":
		paragraph(out, "do    ", "the same as for "+Clean(above))
	default:
		told[r.Hint] = r.ID
		paragraph(out, "do    ", Clean(r.Hint))
		if test := Clean(reach.ByHand(v.check(r.ID), r)); test != "" { // whole, to be copied
			fmt.Fprintf(out, "%stest  %s\n", strings.Repeat(" ", under), test)
		}
	}
	if ended := expired(r); ended != "" {
		paragraph(out, "note  ", parts(": ", vantage, ended))
	}
}

// paragraph writes a text that is wrapped, unless there is none.
func paragraph(out *strings.Builder, label, text string) {
	if text != "" {
		fmt.Fprintf(out, "%s%s%s\n", strings.Repeat(" ", under), label, broken(text, " ", under+len(label)))
	}
}
