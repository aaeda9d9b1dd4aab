package wizard

import "exoshift/state"

// Change is an answer that differs from what it was.
type Change struct {
	Key           string
	Before, After string // as text
	Effect        Effect
}

// Effect is what it means for a cluster that exists if an answer is changed.
type Effect string

// The effects.
const (
	NoEffect   Effect = "no effect"      // what exists stays as it is
	Changeable Effect = "can be changed" // on what is made from now on, or by a change of the cluster
	Rebuild    Effect = "needs rebuild"  // a new cluster only
)

// Changes returns the answers that differ, in the order of Fields. Additional groups are one answer. There is no secret
// in it, as a Spec holds references only.
func Changes(before, after state.Spec) []Change {
	var changes []Change
	for _, field := range Fields() {
		if was, is := field.Get(before), field.Get(after); was != is {
			changes = append(changes, Change{Key: field.Key, Before: was, After: is, Effect: field.Effect})
		}
	}
	return changes
}
