package reach

import (
	"exoshift/assets"
	"exoshift/state"
)

// Scope is what the choice of checks depends on.
type Scope struct {
	Spec      state.Spec
	Partial   bool // only the zone is known: what depends on other answers is chosen, and cannot fail but only warn
	Installed bool // the cluster stands: its own names and ports are checked, too
}

// Choose returns the checks of a catalogue that a scope wants, and those that the operator added, each filled in.
func Choose(catalogue []assets.Endpoint, scope Scope) ([]Check, error) {
	return nil, nil // TODO
}
