package console

import (
	"fmt"
	"io"
	"strings"

	"exoshift/wizard/reach"
)

// Short writes a line of counts and a line for each problem, or for what many of them come from, and for each
// check that somebody left out, to paste into a chat.
func (v Reachability) Short(w io.Writer) error {
	var out strings.Builder
	vantages := v.vantages()
	fmt.Fprintf(&out, "%s: %s\n", v.headline(), v.counted(""))
	causes := v.causes()
	for _, cause := range causes {
		fmt.Fprintf(&out, "%-7s %s; %s\n", verdictWord(v.worstOf(cause)), Clean(cause.String()), Clean(cause.Hint))
	}
	for _, r := range v.problems() {
		if causes.of(r) == 0 {
			fmt.Fprintln(&out, problemLine(r, len(vantages) > 1 || r.Vantage != reach.Workstation))
		}
	}
	for _, r := range v.Report.Results {
		if r.Chosen() {
			fmt.Fprintln(&out, problemLine(r, len(vantages) > 1))
		}
	}
	if v.Compared {
		v.difference(&out)
	}
	return written(w, &out)
}

// problemLine says in a line what is wrong.
func problemLine(r reach.Result, withVantage bool) string {
	from := ""
	if withVantage {
		from = "from " + Clean(r.Vantage)
	}
	line := fmt.Sprintf("%-7s %s: %s", verdictWord(r.Verdict), parts(" ", Clean(r.ID), Clean(r.Target), from), Clean(r.Sentence()))
	return parts("; ", line, expired(r))
}
