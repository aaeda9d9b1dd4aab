package console

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"exoshift/provisioner/destroy"
)

// columns is the assumed width of a terminal.
const columns = 80

func printCounts(w io.Writer, objects []destroy.Found) {
	var kinds []string
	names := map[string][]string{}
	for _, o := range objects {
		if names[o.Kind] == nil {
			kinds = append(kinds, o.Kind)
		}
		names[o.Kind] = append(names[o.Kind], SanitizeLine(cmp.Or(o.Name, o.ID)))
	}
	rows := make(cells, len(kinds))
	for i, kind := range kinds {
		rows[i] = []string{formatCount(len(names[kind]), destroy.FormatKind(kind)), ""}
	}
	front := 0
	for _, line := range rows.formatLines("  ") {
		front = max(front, len(line)+2)
	}
	for i, kind := range kinds {
		rows[i][1] = joinNames(names[kind], columns-front)
	}
	fmt.Fprintln(w, strings.Join(rows.formatLines("  "), "\n"))
}

// joinNames joins as many names as fit into room, at least one, and counts the rest.
func joinNames(names []string, room int) string {
	text := names[0]
	for i := 1; i < len(names); i++ {
		more := fmt.Sprintf(" and %d more", len(names)-i-1)
		if i == len(names)-1 {
			more = ""
		}
		if len(text)+len(", ")+len(names[i])+len(more) > room {
			return text + fmt.Sprintf(" and %d more", len(names)-i)
		}
		text += ", " + names[i]
	}
	return text
}
