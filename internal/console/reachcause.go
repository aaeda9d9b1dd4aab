package console

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"exoshift/wizard/reach"
	"exoshift/wizard/reach/command"
)

// commonCauses are numbered by their index, from 1.
type commonCauses []reach.Cause

func (all commonCauses) getNumber(r reach.Result) int {
	return slices.IndexFunc(all, func(c reach.Cause) bool { return c.Explains(r) }) + 1
}

func (all commonCauses) formatReference(n int) string {
	if len(all) == 1 {
		return "see the cause above"
	}
	return fmt.Sprintf("see cause %d above", n)
}

func (all commonCauses) formatHeading() string {
	if len(all) == 0 {
		return ""
	}
	return "cause"
}

func (all commonCauses) formatNumbers(results []reach.Result) string {
	var numbers []string
	for _, r := range results {
		if n := all.getNumber(r); n > 0 && !slices.Contains(numbers, strconv.Itoa(n)) {
			numbers = append(numbers, strconv.Itoa(n))
		}
	}
	return strings.Join(numbers, ",")
}

func writeCauses(out *strings.Builder, v ConnectivityReport, causes commonCauses) {
	for i, cause := range causes {
		fmt.Fprintf(out, "\nCause %d, of %d problems\n", i+1, len(cause.IDs))
		writeParagraph(out, "is    ", SanitizeLine(cause.Text))
		writeParagraph(out, "do    ", SanitizeLine(cause.Hint))
		if test := SanitizeLine(command.Build(v.findCheck(cause.First.ID), cause.First)); test != "" { // whole, to be copied
			fmt.Fprintf(out, "%stest  %s\n", strings.Repeat(" ", detailIndent), test)
		}
		writeParagraph(out, "more  ", formatFirstExplanation(string(cause.First.Class), cause.First.ID))
	}
}

func findWorstVerdict(v ConnectivityReport, cause reach.Cause) reach.Verdict {
	for _, r := range v.listProblems() { // failures come first
		if cause.Explains(r) {
			return r.Verdict
		}
	}
	return reach.Warn
}
