package console

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"exoshift/wizard/reach"
)

// commonCauses are what many problems of a report come from; the number of each is its place, from one on.
type commonCauses []reach.Cause

func (v Reachability) causes() commonCauses { return reach.Causes(v.Report) }

// causes are what many of the services that were looked at have in common.
func (s checkStates) causes() commonCauses {
	var report reach.Report
	for _, state := range s {
		if state.Reach != nil {
			report.Results = append(report.Results, state.Reach.Result)
		}
	}
	slices.SortFunc(report.Results, func(a, b reach.Result) int { return strings.Compare(a.ID, b.ID) })
	return reach.Causes(report)
}

// of returns the number of the cause of a result, or 0.
func (all commonCauses) of(r reach.Result) int {
	return slices.IndexFunc(all, func(c reach.Cause) bool { return c.Spoils(r) }) + 1
}

// name refers to a cause that was told.
func (all commonCauses) name(n int) string {
	if len(all) == 1 {
		return "see the one cause above"
	}
	return fmt.Sprintf("see cause %d above", n)
}

// heading names the column of causes, if there are any.
func (all commonCauses) heading() string {
	if len(all) == 0 {
		return ""
	}
	return "cause"
}

// numbers names the causes of what is wrong with one service, from all vantages.
func (all commonCauses) numbers(results []reach.Result) string {
	var numbers []string
	for _, r := range results {
		if n := all.of(r); n > 0 && !slices.Contains(numbers, strconv.Itoa(n)) {
			numbers = append(numbers, strconv.Itoa(n))
		}
	}
	return strings.Join(numbers, ",")
}

// tableCauses tells each cause once: what it is, what to do, and how to see it.
func (v Reachability) tableCauses(out *strings.Builder, causes commonCauses) {
	for i, cause := range causes {
		fmt.Fprintf(out, "\nCause %d, of %d problems\n", i+1, len(cause.IDs))
		paragraph(out, "is    ", Clean(cause.Text))
		paragraph(out, "do    ", Clean(cause.Hint))
		if test := Clean(reach.ByHand(v.check(cause.First.ID), cause.First)); test != "" { // whole, to be copied
			fmt.Fprintf(out, "%stest  %s\n", strings.Repeat(" ", under), test)
		}
	}
}

// worstOf is the worst verdict of what a cause spoils.
func (v Reachability) worstOf(cause reach.Cause) reach.Verdict {
	for _, r := range v.problems() { // what failed comes first
		if cause.Spoils(r) {
			return r.Verdict
		}
	}
	return reach.Warn
}
