package reach

// Change is a check whose verdict or class is another than in an earlier report. A check that only one of them has,
// has an empty result on the other side.
type Change struct{ Before, After Result }

// Compare returns what changed from an earlier report to a later one, in the order of the later one; what only the
// earlier one has comes last.
func Compare(before, after Report) []Change {
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
func (c Change) Result() Result {
	if c.After.ID != "" {
		return c.After
	}
	return c.Before
}

// Direction is which way something changed.
type Direction string

// The turns, the ones that matter most first.
const (
	Worse   Direction = "worse"
	Better  Direction = "better"
	Other   Direction = "other" // as bad as before, for another reason
	Added   Direction = "added"
	Removed Direction = "removed"
)

// Direction returns which way a change leads.
func (c Change) Direction() Direction {
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

// resultKey is what is looked at, from where.
type resultKey struct{ source, id string }

func toResultKey(r Result) resultKey { return resultKey{r.Source, r.ID} }

// indexResults returns the results by what they are about. Of several, the last counts.
func indexResults(report Report) map[resultKey]Result {
	all := make(map[resultKey]Result, len(report.Results))
	for _, r := range report.Results {
		all[toResultKey(r)] = r
	}
	return all
}
