package session

import "slices"

// answers counts what a person had to decide: each text that was typed or pasted, and each choice that was changed, once
// per visit of a field. Enter on what is there already is no answer.
type answers struct {
	given   int
	editing bool
}

func (a *answers) edit() {
	if !a.editing {
		a.given, a.editing = a.given+1, true
	}
}

// press counts keys that change a field. All others leave it, or only look.
func (a *answers) press(key string) {
	switch {
	case slices.Contains([]string{"space", "backspace", "delete"}, key), len([]rune(key)) == 1:
		a.edit()
	default:
		a.editing = false
	}
}
