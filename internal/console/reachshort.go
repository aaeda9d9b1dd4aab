package console

import (
	"fmt"
	"io"
	"strings"

	"exoshift/internal/text"
	"exoshift/wizard/reach"
)

// WriteShort writes a line of counts and a line for each problem or common cause, and for each skipped check, to paste into a
// chat.
func (v ConnectivityReport) WriteShort(w io.Writer) error {
	var out strings.Builder
	vantages := v.listSources()
	fmt.Fprintf(&out, "%s: %s\n", v.formatHeadline(), v.formatCounts(""))
	causes := v.listCauses()
	for _, cause := range causes {
		fmt.Fprintf(&out, "%-7s %s; %s\n", formatVerdict(v.findWorstVerdict(cause)), SanitizeLine(cause.String()), SanitizeLine(cause.Hint))
	}
	for _, r := range v.listProblems() {
		if causes.getNumber(r) == 0 {
			fmt.Fprintln(&out, formatProblemLine(r, len(vantages) > 1 || r.Source != reach.Workstation))
		}
	}
	for _, r := range v.Report.Results {
		if r.IsManualSkip() {
			fmt.Fprintln(&out, formatProblemLine(r, len(vantages) > 1))
		}
	}
	if v.Compared {
		v.writeDiff(&out)
	}
	return writeText(w, &out)
}

func formatProblemLine(r reach.Result, withVantage bool) string {
	from := ""
	if withVantage {
		from = "from " + SanitizeLine(r.Source)
	}
	line := fmt.Sprintf("%-7s %s: %s", formatVerdict(r.Verdict), text.Join(" ", SanitizeLine(r.ID), SanitizeLine(r.Target), from), SanitizeLine(r.Describe()))
	return text.Join("; ", line, formatExpiredSkip(r))
}
