package console

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"exoshift/internal/stable"
	"exoshift/internal/text"
	"exoshift/wizard/reach"
	"exoshift/wizard/reach/difference"
)

func writeDiff(out *strings.Builder, v ConnectivityReport) {
	if len(v.Changes) == 0 {
		fmt.Fprintln(out, "\nNo changes since the earlier report.")
		return
	}
	turns := text.NewCounts(difference.Worse, difference.Better, difference.Other, difference.Added, difference.Removed)
	for _, change := range v.Changes {
		turns.Add(string(change.Direction()))
	}
	fmt.Fprintf(out, "\nSince the earlier report: %s\n", turns.String())
	var table cells
	for _, change := range sortChanges(v.Changes) {
		r := change.Result()
		table = append(table, []string{string(change.Direction()), r.ID, r.Target, r.Source, formatTransition(change)})
	}
	writeLines(out, table.formatLines("  "))
}

// sortChanges puts regressions first.
func sortChanges(changes []difference.Change) []difference.Change {
	order := []difference.Direction{difference.Worse, difference.Other, difference.Better, difference.Added, difference.Removed}
	sorted := slices.Clone(changes)
	stable.Sort(sorted, func(a, b difference.Change) int {
		return slices.Index(order, a.Direction()) - slices.Index(order, b.Direction())
	})
	return sorted
}

// WriteTransitions writes a line for each change between two rounds of a watch.
func WriteTransitions(w io.Writer, now time.Time, changes []difference.Change) error {
	var out strings.Builder
	for _, change := range changes {
		r := change.Result()
		fmt.Fprintf(&out, "%s %s: %s\n", now.Format(time.TimeOnly), text.Join(" ", SanitizeLine(r.ID), SanitizeLine(r.Target), "from "+SanitizeLine(r.Source)), formatTransition(change))
	}
	return writeText(w, &out)
}

// formatTransition returns e.g. "ok -> FAILED, TCP: no answer from 203.0.113.9".
func formatTransition(c difference.Change) string {
	words := formatState(c.Before) + " -> " + formatState(c.After)
	if c.After.ID == "" || c.After.Verdict == reach.OK {
		return words
	}
	return words + ", " + SanitizeLine(c.After.Describe())
}

// formatState adds the class to a verdict where it matters.
func formatState(r reach.Result) string {
	if r.ID == "" {
		return "not checked"
	}
	return formatVerdict(r.Verdict) + withPrefix(" ", wrapParens(SanitizeLine(string(r.Class))))
}
