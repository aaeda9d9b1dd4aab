package console

import (
	"fmt"
	"io"
	"strings"

	"exoshift/internal/text"
	"exoshift/provisioner"
)

func formatVersion(board *provisioner.Board) string {
	share := ""
	if board.Version.Percent != nil {
		share = fmt.Sprintf("%d%%", *board.Version.Percent)
	}
	return text.Join(": ", text.Join(" ", board.Version.State, share), board.Version.Text)
}

func formatOperatorCounts(board *provisioner.Board) string {
	states := text.NewCounts("degraded", "flapping", "waiting", "progressing", "available", "stable")
	for _, operator := range board.Operators {
		states.Add(operator.State)
	}
	return states.String()
}

// printFindings prints the most certain finding first.
func printFindings(w io.Writer, board *provisioner.Board) {
	if len(board.Findings) == 0 {
		return
	}
	fmt.Fprintln(w, "Problems")
	for _, finding := range provisioner.SortFindings(board.Findings) {
		printFinding(w, finding)
	}
}

func printLikeliestCause(w io.Writer, board *provisioner.Board) {
	if len(board.Findings) > 0 {
		printFinding(w, provisioner.SortFindings(board.Findings)[0])
	}
}

func printFinding(w io.Writer, f provisioner.Event) {
	fmt.Fprintf(w, "  likely       %s\n", wrapValue(SanitizeLine(text.Join(" ", f.Text, wrapParens(f.Confidence))), " "))
	printFix(w, sanitizeLines(f.Hint))
	for _, evidence := range f.Evidence {
		fmt.Fprintf(w, "  because      %s\n", wrapValue(SanitizeLine(evidence), " "))
	}
	if more := formatExplanation(f.Name); more != "" {
		fmt.Fprintf(w, "  more         %s\n", more)
	}
}

func printFix(w io.Writer, fix []string) {
	if len(fix) == 0 {
		return
	}
	fmt.Fprintf(w, "  fix          %s\n", wrapValue(fix[0], " "))
	if len(fix) > 1 { // commands, to be copied
		fmt.Fprintf(w, "\n%s\n\n", strings.Join(fix[1:], "\n"))
	}
}
