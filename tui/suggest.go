package tui

import (
	"exoshift/wizard"
)

// originSuggested is the origin of a recommended answer that was shown to the operator.
const originSuggested = "suggested"

// applySuggestions fills in the recommended answers of a screen where there is none. They follow the answers that they depend on
// until the operator types another one.
func (t *session) applySuggestions(screen wizard.Screen) {
	t.visited[screen] = true
	given := false
	for _, field := range t.listFields(screen) {
		origin, value := t.answers.Origin(field.Key), field.Get(t.spec())
		if origin != originSuggested && (origin != wizard.ByDefault || value != "") {
			continue
		}
		suggestion := field.Suggestion(t.spec())
		switch suggestion {
		case value:
		case "":
			given = t.answers.Clear(field.Key) == nil || given
		default:
			given = t.answers.Set(field.Key, suggestion, originSuggested) == nil || given
		}
	}
	if given {
		t.handleChange()
	}
}
