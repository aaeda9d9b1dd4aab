package connectivity

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"exoshift/wizard/reach"
)

// matrix counts the classes of results, by kind of endpoint and by scenario with source.
type matrix map[string]map[string]map[string]int

func (m matrix) add(s sight, checks []reach.Check, results []reach.Result) {
	for _, r := range results {
		check := checks[slices.IndexFunc(checks, func(c reach.Check) bool { return c.ID == r.ID })]
		row, column := placeIn(check, r.Source).kind, s.String()+", "+r.Source
		if m[column] == nil {
			m[column] = map[string]map[string]int{}
		}
		if m[column][row] == nil {
			m[column][row] = map[string]int{}
		}
		class := string(cmp.Or(r.Class, reach.Class(r.Verdict)))
		m[column][row][class]++
	}
}

// String returns a table with a line for each scenario and source.
func (m matrix) String() string {
	kinds := map[string]bool{}
	for _, row := range m {
		for kind := range row {
			kinds[kind] = true
		}
	}
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, column := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(table, "%s\n", column)
		for _, kind := range slices.Sorted(maps.Keys(kinds)) {
			var cells []string
			for _, class := range slices.Sorted(maps.Keys(m[column][kind])) {
				cells = append(cells, fmt.Sprintf("%d %s", m[column][kind][class], class))
			}
			fmt.Fprintf(table, "  %s\t%s\n", kind, strings.Join(cells, ", "))
		}
	}
	_ = table.Flush()
	return text.String()
}
