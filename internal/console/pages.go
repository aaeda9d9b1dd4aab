package console

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"exoshift/internal/app/explain"
)

// PrintPages prints what is known of an ID.
func PrintPages(w io.Writer, pages []explain.Page) {
	for i, page := range pages {
		if i > 0 {
			fmt.Fprintln(w)
		}
		printPage(w, page)
	}
}

func printPage(w io.Writer, page explain.Page) {
	fmt.Fprintf(w, "%s  %s\n", page.ID, page.Kind)
	fmt.Fprintf(w, "  %-12s %s\n", "is", wrapValue(page.Title, " "))
	for _, row := range page.Rows {
		first, commands, _ := strings.Cut(row.Text, "\n")
		fmt.Fprintf(w, "  %-12s %s\n", row.Name, wrapValue(first, " "))
		if commands != "" { // to be copied
			fmt.Fprintf(w, "\n%s\n\n", commands)
		}
	}
}

// PrintPageList prints the IDs of all pages with their titles, one kind after another.
func PrintPageList(w io.Writer, pages []explain.Page) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tKIND\tIS")
	for _, page := range pages {
		fmt.Fprintf(table, "%s\t%s\t%s\n", page.ID, page.Kind, page.Title)
	}
	_ = table.Flush() // the writer may be closed
}

// formatFirstExplanation returns the command that prints the page of the first of these IDs that has one. Checks of an operator's own
// have none.
func formatFirstExplanation(ids ...string) string {
	for _, id := range ids {
		if len(explain.Find(id)) > 0 {
			return formatExplanation(id)
		}
	}
	return ""
}

// formatExplanation returns the command that prints the page of an ID.
func formatExplanation(id string) string {
	if id == "" {
		return ""
	}
	return "exoshift explain " + SanitizeLine(id)
}
