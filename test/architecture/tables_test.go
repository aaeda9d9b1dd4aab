package architecture

import (
	"regexp"
	"strings"
)

// tables are the two tables of docs/architecture.md, by the packages and libraries of their first columns.
type tables struct {
	mayImport map[string][]string // a room, or "any", and the rooms it may import; "*" is every room, "!x" none of x
	doors     map[string][]string // a library and the rooms that may import it
}

var quoted = regexp.MustCompile("`([^`]+)`")

func readTables(page string) tables {
	return tables{
		mayImport: readTable(page, "## Who may import whom"),
		doors:     readTable(page, "## Doors"),
	}
}

// readTable reads the two-column table below a heading. "everything" in the second column becomes "*", and "everything but"
// the exceptions after it.
func readTable(page, heading string) map[string][]string {
	rows := map[string][]string{}
	_, below, _ := strings.Cut(page, "\n"+heading+"\n")
	section, _, _ := strings.Cut(below, "\n## ")
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || !strings.Contains(cells[1]+cells[2], "`") {
			continue
		}
		values := names(cells[2])
		if strings.TrimSpace(cells[2]) == "everything" {
			values = []string{"*"}
		}
		if strings.HasPrefix(strings.TrimSpace(cells[2]), "everything but ") {
			for i := range values {
				values[i] = "!" + values[i]
			}
			values = append(values, "*")
		}
		for _, key := range append(names(cells[1]), strings.TrimSpace(cells[1])) {
			rows[key] = values
		}
	}
	return rows
}

// names returns what a table's cell has in backquotes.
func names(cell string) []string {
	var found []string
	for _, match := range quoted.FindAllStringSubmatch(cell, -1) {
		found = append(found, match[1])
	}
	return found
}

// room returns the row of the import table that a package belongs to: its own or that of the nearest folder above.
func (t tables) room(dir string) (string, bool) {
	for ; dir != "."; dir = parent(dir) {
		if _, listed := t.mayImport[dir]; listed {
			return dir, true
		}
	}
	return "", false
}

func parent(dir string) string {
	if at := strings.LastIndexByte(dir, '/'); at > 0 {
		return dir[:at]
	}
	return "."
}
