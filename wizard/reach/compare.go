package reach

// Change is a check whose verdict or class is another than in an earlier report. A check that only one of them has,
// has an empty result on the other side.
type Change struct{ Before, After Result }

// Compare returns what changed from an earlier report to a later one, in the order of the later one; what only the
// earlier one has comes last.
func Compare(before, after Report) []Change {
	earlier := ledger(before)
	var changes []Change
	for _, now := range after.Results {
		was, known := earlier[keyOf(now)]
		delete(earlier, keyOf(now))
		if !known || was.Verdict != now.Verdict || was.Class != now.Class {
			changes = append(changes, Change{was, now})
		}
	}
	for _, was := range before.Results {
		if _, left := earlier[keyOf(was)]; left {
			delete(earlier, keyOf(was))
			changes = append(changes, Change{Before: was})
		}
	}
	return changes
}

// Result returns the result that a change is about: the later one, if there is one.
func (c Change) Result() Result {
	if c.After.ID != "" {
		return c.After
	}
	return c.Before
}

// Turn is which way something changed.
type Turn string

// The turns, the ones that matter most first.
const (
	Worse   Turn = "worse"
	Better  Turn = "better"
	Other   Turn = "other" // as bad as before, for another reason
	Added   Turn = "added"
	Removed Turn = "removed"
)

// Turn returns which way a change leads.
func (c Change) Turn() Turn {
	was, now := c.Before.Verdict.rank(), c.After.Verdict.rank()
	switch {
	case c.Before.ID == "":
		return Added
	case c.After.ID == "":
		return Removed
	case now > was:
		return Worse
	case now < was:
		return Better
	}
	return Other
}

// rank orders verdicts: what nobody looked at is worse than what is well, and better than what is known to be wrong.
func (v Verdict) rank() int {
	switch v {
	case OK:
		return 0
	case Skipped:
		return 1
	case Warn:
		return 2
	}
	return 3
}

// viewpoint is what is looked at, from where.
type viewpoint struct{ vantage, id string }

func keyOf(r Result) viewpoint { return viewpoint{r.Vantage, r.ID} }

// ledger returns the results by what they are about. Of several, the last counts.
func ledger(report Report) map[viewpoint]Result {
	all := make(map[viewpoint]Result, len(report.Results))
	for _, r := range report.Results {
		all[keyOf(r)] = r
	}
	return all
}
