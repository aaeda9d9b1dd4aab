package answersfile

import (
	"exoshift/state"
	"exoshift/wizard"
)

// Change is an answer that was changed.
type Change struct {
	Key           string
	Before, After string // as text
	Effect        wizard.Effect
}

// Diff returns the answers that differ, in the order of Fields. Additional groups are one answer. There is no secret
// in it, as a Spec holds references only.
func Diff(before, after state.Spec) []Change {
	var changes []Change
	for _, field := range wizard.Fields() {
		if was, is := field.Get(before), field.Get(after); was != is {
			changes = append(changes, Change{Key: field.Key, Before: was, After: is, Effect: field.Effect})
		}
	}
	return changes
}
