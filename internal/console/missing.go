package console

import (
	"fmt"
	"io"

	"exoshift/wizard/answersfile"
)

// PrintMissing prints the missing answers, and every way to give them.
func PrintMissing(w io.Writer, needs []answersfile.MissingAnswer) {
	fmt.Fprintf(w, "Missing answers: %d. Set each of them in one of these places.\n", len(needs))
	for _, need := range needs {
		variable := need.Variable
		if need.Secret {
			variable += ", which contains the secret itself"
		}
		fmt.Fprintf(w, "\n%s\n", need.Field)
		for _, row := range [][2]string{{"why", need.Why}, {"flag", need.Flag}, {"variable", variable}, {"in the file", need.InFile}} {
			fmt.Fprintf(w, "  %-12s %s\n", row[0], wrapValue(SanitizeLine(row[1]), " "))
		}
	}
	fmt.Fprintln(w, "\nTo create a file to fill in: exoshift answers new answers.yaml")
}
