// Package difference compares two reports of connectivity checks.
package difference

import "exoshift/wizard/reach"

// Change is a check whose verdict or class differs from an earlier report. If only one report has the check, the other
// result is empty.
type Change struct{ Before, After reach.Result }

// Compare returns what changed from an earlier report to a later one, in the order of the later one; what only the
// earlier one has comes last.
func Compare(before, after reach.Report) []Change {
	earlier := indexResults(before)
	var changes []Change
	for _, now := range after.Results {
		was, known := earlier[toResultKey(now)]
		delete(earlier, toResultKey(now))
		if !known || was.Verdict != now.Verdict || was.Class != now.Class {
			changes = append(changes, Change{was, now})
		}
	}
	for _, was := range before.Results {
		if _, left := earlier[toResultKey(was)]; left {
			delete(earlier, toResultKey(was))
			changes = append(changes, Change{Before: was})
		}
	}
	return changes
}

// Result returns the result that a change is about: the later one, if there is one.
func (c Change) Result() reach.Result {
	if c.After.ID != "" {
		return c.After
	}
	return c.Before
}

// Direction is the direction of a change.
type Direction string

// The directions, the most important first.
const (
	Worse   Direction = "worse"
	Better  Direction = "better"
	Other   Direction = "other" // as bad as before, for another reason, or not known because one of them was skipped
	Added   Direction = "added"
	Removed Direction = "removed"
)

// Direction returns the direction of a change.
func (c Change) Direction() Direction {
	was, now := rank(c.Before.Verdict), rank(c.After.Verdict)
	switch {
	case c.Before.ID == "":
		return Added
	case c.After.ID == "":
		return Removed
	case c.Before.Verdict == reach.Skipped || c.After.Verdict == reach.Skipped && now < was:
		return Other // what was not checked is neither good nor bad
	case now > was:
		return Worse
	case now < was:
		return Better
	}
	return Other
}

// A skipped check ranks between a good and a failed one.
func rank(v reach.Verdict) int {
	switch v {
	case reach.OK:
		return 0
	case reach.Skipped:
		return 1
	case reach.Warn:
		return 2
	}
	return 3
}

type resultKey struct{ source, id string }

func toResultKey(r reach.Result) resultKey { return resultKey{r.Source, r.ID} }

// Of several results of a check from one source, the last counts.
func indexResults(report reach.Report) map[resultKey]reach.Result {
	all := make(map[resultKey]reach.Result, len(report.Results))
	for _, r := range report.Results {
		all[toResultKey(r)] = r
	}
	return all
}
