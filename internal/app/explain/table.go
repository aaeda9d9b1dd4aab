package explain

import (
	"regexp"
	"strings"

	"exoshift/docs"
)

// listChecks returns the rows of the tables whose first column is the ID of a check.
func listChecks() []Page {
	var pages []Page
	for _, row := range parseTables(docs.Endpoints()) {
		if row.heading[0] != "ID" || len(row.cells) < 2 {
			continue
		}
		title, target, _ := strings.Cut(row.cells[1], ", ")
		rows := append([]Row{{"address", target}}, row.label(2)...)
		pages = append(pages, Page{Kind: KindCheck, ID: row.cells[0], Title: title, Rows: rows})
	}
	return pages
}

func listClasses() []Page {
	pages := listRowPages(docs.Endpoints(), "class", KindClass, 1)
	for i := range pages {
		pages[i].Rows = append(pages[i].Rows, Row{"prevent", getClassPrevention(pages[i].ID)})
	}
	return pages
}

// listCodes returns the exit codes, whose second ID is their name.
func listCodes() []Page {
	pages := listRowPages(docs.ExitCodes(), "code", KindCode, 2)
	for i := range pages {
		pages[i].Alias = pages[i].Title
		for n := range pages[i].Rows {
			pages[i].Rows[n].Name = "means"
		}
	}
	return pages
}

// The second column is the title; rows begin with column from.
func listRowPages(content, first, kind string, from int) []Page {
	var pages []Page
	for _, row := range parseTables(content) {
		if row.heading[0] == first && len(row.cells) > 1 {
			pages = append(pages, Page{Kind: kind, ID: row.cells[0], Title: row.cells[1], Rows: row.label(from)})
		}
	}
	return pages
}

// tableRow is a row of a Markdown table, as plain text.
type tableRow struct{ heading, cells []string }

func (r tableRow) label(from int) []Row {
	var rows []Row
	for i := from; i < min(len(r.cells), len(r.heading)); i++ {
		if r.cells[i] != "" {
			rows = append(rows, Row{r.heading[i], r.cells[i]})
		}
	}
	return rows
}

func parseTables(content string) []tableRow {
	var rows []tableRow
	var heading []string
	for line := range strings.Lines(content) {
		line = strings.TrimSpace(line)
		switch {
		case !strings.HasPrefix(line, "|"):
			heading = nil
		case heading == nil:
			heading = splitCells(line)
		case !strings.HasPrefix(line, "|---"):
			rows = append(rows, tableRow{heading, splitCells(line)})
		}
	}
	return rows
}

// A cell never contains U+0000, which stands for an escaped bar until the cells are separated.
func splitCells(line string) []string {
	line = strings.ReplaceAll(strings.Trim(line, "|"), `\|`, "\x00")
	cells := strings.Split(line, "|")
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(formatPlain(cell), "\x00", "|"))
	}
	return cells
}

var (
	anchor      = regexp.MustCompile(`<a [^>]*></a>`)
	placeholder = regexp.MustCompile(`\*([a-z]+)\*`)
	link        = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

func formatPlain(markdown string) string {
	text := anchor.ReplaceAllString(markdown, "")
	text = placeholder.ReplaceAllString(text, "{$1}")
	text = link.ReplaceAllString(text, "$1")
	return strings.NewReplacer("`", "", `\<`, "<").Replace(text)
}
