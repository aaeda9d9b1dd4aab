package console

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"exoshift/provisioner/destroy"
)

// columns is how wide a terminal is taken to be.
const columns = 80

// counted prints a line for each kind of what goes: how many there are, and the first names.
func counted(w io.Writer, objects []destroy.Found) {
	var kinds []string
	names := map[string][]string{}
	for _, o := range objects {
		if names[o.Kind] == nil {
			kinds = append(kinds, o.Kind)
		}
		names[o.Kind] = append(names[o.Kind], Clean(cmp.Or(o.Name, o.ID)))
	}
	rows := make(cells, len(kinds))
	for i, kind := range kinds {
		rows[i] = []string{count(len(names[kind]), destroy.Noun(kind)), ""}
	}
	front := 0
	for _, line := range rows.lines("  ") {
		front = max(front, len(line)+2)
	}
	for i, kind := range kinds {
		rows[i][1] = some(names[kind], columns-front)
	}
	fmt.Fprintln(w, strings.Join(rows.lines("  "), "\n"))
}

// some joins as many names as there is room for, at least one, and says how many are left out.
func some(names []string, room int) string {
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
