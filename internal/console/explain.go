package console

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"exoshift/wizard"
)

// Explain prints what is to know about a field, its answer and where that came from.
func Explain(w io.Writer, field wizard.Field, answers *wizard.Answers) {
	needed := ""
	if field.RequiredBy(answers.Spec) && field.Default() == "" {
		needed = "has no default"
	}
	fmt.Fprintf(w, "%s  %s\n", field.Key, field.Title)
	for _, row := range [][2]string{
		{"what", field.Help}, {"why", field.Why}, {"look here", field.Source},
		{"allowed", field.Allowed()}, {"example", field.Example}, {"default", field.Default()}, {"required", needed},
		{"a change", string(field.Effect)},
		{"flag", wizard.SetFlag + " " + field.Key + "=…"}, {"variable", field.Variable()},
		{"answer", field.Get(answers.Spec)}, {"from", answers.Origin(field.Key)},
	} {
		if row[1] != "" {
			fmt.Fprintf(w, "  %-12s %s\n", row[0], wrapped(Clean(row[1]), " "))
		}
	}
}

// Answers prints a table of answers and where each came from.
func Answers(w io.Writer, fields []wizard.Field, answers *wizard.Answers) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "KEY\tANSWER\tFROM")
	for _, field := range fields {
		fmt.Fprintf(table, "%s\t%s\t%s\n", field.Key, cell(Clean(field.Get(answers.Spec))), Clean(answers.Origin(field.Key)))
	}
	_ = table.Flush() // the writer may be gone
}

// cell keeps a table narrow: an SSH key alone is as wide as a terminal.
func cell(value string) string {
	const most = 40
	if value == "" {
		return "–"
	}
	if letters := []rune(value); len(letters) > most {
		return strings.TrimSpace(string(letters[:most-1])) + "…"
	}
	return value
}
