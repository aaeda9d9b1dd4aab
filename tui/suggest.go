package tui

import (
	"exoshift/wizard"
)

// suggested is the origin of an answer that most people keep and that was on the screen.
const suggested = "suggested"

// suggest gives the answers of a screen that most people keep, where there is none. They follow the answers that they
// depend on until somebody types another one.
func (t *talk) suggest(screen wizard.Screen) {
	t.entered[screen] = true
	given := false
	for _, field := range t.fields(screen) {
		origin, value := t.answers.Origin(field.Key), field.Get(t.spec())
		if origin != suggested && (origin != wizard.ByDefault || value != "") {
			continue
		}
		suggestion := field.Suggestion(t.spec())
		switch suggestion {
		case value:
		case "":
			given = t.answers.Clear(field.Key) == nil || given
		default:
			given = t.answers.Set(field.Key, suggestion, suggested) == nil || given
		}
	}
	if given {
		t.changed()
	}
}
