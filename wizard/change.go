package wizard

import "exoshift/state"

// Change is an answer that was changed.
type Change struct {
	Key           string
	Before, After string // as text
	Effect        Effect
}

// Effect is what a changed answer means for an existing cluster.
type Effect string

// The effects. A refused change ends an installation before it changes anything.
const (
	NoEffect Effect = "no effect"                         // accepted, and existing objects stay as they are
	Applied  Effect = "install carries it out"            //
	Adds     Effect = "install adds; the rest is refused" // more machines, another fact; existing ones are changed by hand
	ByHand   Effect = "refused until it is done by hand"  // the error of the installation describes how
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
