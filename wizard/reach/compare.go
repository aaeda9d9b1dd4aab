package reach

// Change is a check whose verdict or class is another than in an earlier report. A check that only one of them has,
// has an empty result on the other side.
type Change struct{ Before, After Result }

// Compare returns what changed from an earlier report to a later one, in the order of the later one.
func Compare(before, after Report) []Change {
	return nil // TODO
}
