// Package wizard defines the answers file: its fields as data, the rules across them, and the secrets they refer to. It
// renders nothing and contacts no service.
package wizard

import (
	"slices"
	"time"

	"exoshift/state"
)

// Parse reads an answers file over the defaults. It returns every problem of the file at once, in the order of the file;
// with problems, the Spec may only be displayed. name is the file's name in problems.
func Parse(name string, yaml []byte) (state.Spec, []Problem) {
	all := newSingleLayer(ReadAnswers(name, yaml))
	return all.Answers.Spec, all.Problems()
}

// Load is Parse followed by ResolveSecrets and CheckPaths, with the problems of all in one list.
func Load(name string, yaml []byte, lookup func(env string) (string, bool)) (state.Spec, Secrets, []Problem) {
	all := newSingleLayer(ReadAnswers(name, yaml))
	secrets := all.Resolve(lookup)
	return all.Answers.Spec, secrets, all.Problems()
}

func newSingleLayer(layer Layer) *MergedAnswers { return MergeLayers(layer.Given, layer) }

// Check returns every problem of a Spec, each by its field: the rules of the single fields, then those across them.
func Check(spec state.Spec) []Problem {
	var faults []Problem
	for _, field := range listFieldsOf(spec) {
		faults = append(faults, field.check(spec)...)
	}
	for _, rule := range listRules() {
		faults = append(faults, rule(spec)...)
	}
	return faults
}

// CheckWarnings returns what is allowed but should be checked before it costs money, including CheckSupport. It never
// repeats a secret.
func CheckWarnings(spec state.Spec, secrets Secrets) []Problem {
	return slices.Concat(checkBaseDomain(spec), checkDockerBridge(spec), CheckSupport(spec), checkUnusedAnswers(spec), checkPullSecret(spec, secrets.PullSecret),
		checkBundleDates(spec.OpenShift.TrustBundle, time.Now()), checkExpiredSkips(spec, time.Now()))
}

// A rule across fields ignores values that do not pass the rule of their own field.
func listRules() []func(state.Spec) []Problem {
	return []func(state.Spec) []Problem{
		checkClusterDomain, checkOverlaps, checkReserved, checkHostPrefixes, checkDisks, checkTopoLVM, checkGroupNames, checkReferences, checkProxy, checkSyn,
		checkDistribution, checkCiliumSource, checkDuplicateEndpoints, checkSkips,
	}
}
