// Package wizard defines the answers: their fields as data, the rules across them, and the interview that asks for them. It renders
// nothing and contacts no service.
package wizard

import (
	"exoshift/state"
)

// Check returns every problem of a Spec, each by its field: the rules of the single fields, then those across them.
func Check(spec state.Spec) []Problem {
	var faults []Problem
	for _, field := range ListFieldsOf(spec) {
		faults = append(faults, field.Check(spec)...)
	}
	for _, rule := range listRules() {
		faults = append(faults, rule(spec)...)
	}
	return faults
}

// A rule across fields ignores values that do not pass the rule of their own field.
func listRules() []func(state.Spec) []Problem {
	return []func(state.Spec) []Problem{
		checkClusterDomain, checkOverlaps, checkReserved, checkHostPrefixes, checkPrivateRoom, checkDisks, checkTopoLVM, checkPools, checkGroupNames, checkReferences, checkProxy, checkSyn,
		checkDistribution, checkCapabilities, checkFIPS, checkCiliumSource, checkProfile, checkDuplicateEndpoints, checkSkips,
	}
}
