package console

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"exoshift/wizard/reach"
)

// Difference writes what changed since an earlier report.
func (v Reachability) Difference(w io.Writer) error {
	var out strings.Builder
	v.difference(&out)
	return written(w, &out)
}

func (v Reachability) difference(out *strings.Builder) {
	if len(v.Changes) == 0 {
		fmt.Fprintln(out, "\nNothing has changed since the earlier report.")
		return
	}
	turns := inOrder(reach.Worse, reach.Better, reach.Other, reach.Added, reach.Removed)
	for _, change := range v.Changes {
		turns.add(string(change.Turn()))
	}
	fmt.Fprintf(out, "\nSince the earlier report: %s\n", turns.String())
	var table cells
	for _, change := range sortedByTurn(v.Changes) {
		r := change.Result()
		table = append(table, []string{string(change.Turn()), r.ID, r.Target, r.Vantage, transition(change)})
	}
	lines(out, table.lines("  "))
}

// sortedByTurn puts what got worse first.
func sortedByTurn(changes []reach.Change) []reach.Change {
	order := []reach.Turn{reach.Worse, reach.Other, reach.Better, reach.Added, reach.Removed}
	sorted := slices.Clone(changes)
	slices.SortStableFunc(sorted, func(a, b reach.Change) int { return slices.Index(order, a.Turn()) - slices.Index(order, b.Turn()) })
	return sorted
}

// Transitions writes a line for each change between two turns of a watch.
func Transitions(w io.Writer, now time.Time, changes []reach.Change) error {
	var out strings.Builder
	for _, change := range changes {
		r := change.Result()
		fmt.Fprintf(&out, "%s %s: %s\n", now.Format(time.TimeOnly), parts(" ", Clean(r.ID), Clean(r.Target), "from "+Clean(r.Vantage)), transition(change))
	}
	return written(w, &out)
}

// transition says from what to what: "ok -> FAILED, TCP: no answer from 203.0.113.9".
func transition(c reach.Change) string {
	words := standing(c.Before) + " -> " + standing(c.After)
	if c.After.ID == "" || c.After.Verdict == reach.OK {
		return words
	}
	return words + ", " + Clean(c.After.Sentence())
}

// standing is a verdict, and the class where that is what matters.
func standing(r reach.Result) string {
	if r.ID == "" {
		return "not checked"
	}
	return verdictWord(r.Verdict) + prefixed(" ", parenthesized(Clean(string(r.Class))))
}
