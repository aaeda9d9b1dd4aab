package console

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

// PrintField prints the explanation of a field, its value and the origin of that.
func PrintField(w io.Writer, field wizard.Field, answers *wizard.Answers) {
	needed := ""
	if field.IsRequired(answers.Spec) && field.Default() == "" {
		needed = "has no default"
	}
	fmt.Fprintf(w, "%s  %s\n", field.Key, field.Title)
	for _, row := range [][2]string{
		{"what", field.Help}, {"why", field.Why}, {"look here", field.Source},
		{"allowed", field.DescribeAllowed()}, {"example", field.Example}, {"default", field.Default()}, {"required", needed},
		{"a change", string(field.Effect)},
		{"flag", answersfile.SetFlag + " " + field.Key + "=…"}, {"variable", field.Variable()},
		{"answer", field.Get(answers.Spec)}, {"from", answers.Origin(field.Key)},
	} {
		if row[1] != "" {
			fmt.Fprintf(w, "  %-12s %s\n", row[0], wrapValue(SanitizeLine(row[1]), " "))
		}
	}
}

// PrintAnswers prints a table of answers and their origins.
func PrintAnswers(w io.Writer, fields []wizard.Field, answers *wizard.Answers) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "KEY\tANSWER\tFROM")
	for _, field := range fields {
		fmt.Fprintf(table, "%s\t%s\t%s\n", field.Key, truncateValue(SanitizeLine(field.Get(answers.Spec))), SanitizeLine(answers.Origin(field.Key)))
	}
	_ = table.Flush() // the writer may be closed
}

// truncateValue keeps a table narrow: an SSH key alone is as wide as a terminal.
func truncateValue(value string) string {
	const most = 40
	if value == "" {
		return "–"
	}
	if letters := []rune(value); len(letters) > most {
		return strings.TrimSpace(string(letters[:most-1])) + "…"
	}
	return value
}
