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

// The effects. What is refused ends an installation before it changes anything.
const (
	NoEffect Effect = "no effect"                         // accepted, and what exists stays as it is
	Applied  Effect = "install carries it out"            //
	Adds     Effect = "install adds; the rest is refused" // more machines, another fact; what exists already is changed by hand
	ByHand   Effect = "refused until it is done by hand"  // an installation says how
	Rebuild  Effect = "needs rebuild"                     // refused: a new cluster only
)

// Diff returns the answers that differ, in the order of Fields. Additional groups are one answer. There is no secret
// in it, as a Spec holds references only.
func Diff(before, after state.Spec) []Change {
	var changes []Change
	for _, field := range Fields() {
		if was, is := field.Get(before), field.Get(after); was != is {
			changes = append(changes, Change{Key: field.Key, Before: was, After: is, Effect: field.Effect})
		}
	}
	return changes
}
