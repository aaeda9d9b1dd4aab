package tui

import (
	"exoshift/state"
	"exoshift/wizard"
)

// fieldFor returns the field whose answer has to change so that a check passes, if it is asked.
func fieldFor(key string, spec state.Spec) (wizard.Field, bool) {
	for _, field := range wizard.ScreenOf(key).ListFields(spec) {
		if field.Key == key {
			return field, true
		}
	}
	return wizard.Field{}, false
}
