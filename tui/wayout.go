package tui

import (
	"exoshift/state"
	"exoshift/wizard"
)

// wayOut returns the field whose answer has to change so that a check passes, if it is asked.
func wayOut(key string, spec state.Spec) (wizard.Field, bool) {
	for _, field := range wizard.ScreenOf(key).Fields(spec) {
		if field.Key == key {
			return field, true
		}
	}
	return wizard.Field{}, false
}
