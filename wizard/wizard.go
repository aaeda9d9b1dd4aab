// Package wizard is the answers file: its fields as data, the rules across them, and the secrets they refer to. It
// draws nothing and contacts nobody.
package wizard

import (
	"slices"
	"time"

	"exoshift/state"
)

// Parse reads an answers file over the defaults. It returns every fault of the file at once, in the order of the
// file; with faults, the Spec is good for nothing but showing. name is what the faults call the file.
func Parse(name string, yaml []byte) (state.Spec, []Fault) {
	all := alone(ReadAnswers(name, yaml))
	return all.Answers.Spec, all.Faults()
}

// Load is Parse followed by ResolveSecrets and CheckPaths, with the faults of all in one list.
func Load(name string, yaml []byte, lookup func(env string) (string, bool)) (state.Spec, Secrets, []Fault) {
	all := alone(ReadAnswers(name, yaml))
	secrets := all.Resolve(lookup)
	return all.Answers.Spec, secrets, all.Faults()
}

// alone assembles the answers of one layer.
func alone(layer Layer) *Assembly { return Assemble(layer.Given, layer) }

// Check returns every fault of a Spec, each by its field: the rules of the single fields, then those across them.
func Check(spec state.Spec) []Fault {
	var faults []Fault
	for _, field := range fieldsOf(spec) {
		faults = append(faults, field.check(spec)...)
	}
	for _, rule := range rules() {
		faults = append(faults, rule(spec)...)
	}
	return faults
}

// Warnings returns what is allowed but deserves a look before money is spent, with what Support returns. It never repeats
// a secret.
func Warnings(spec state.Spec, secrets Secrets) []Fault {
	return slices.Concat(loneLabel(spec), dockerBridge(spec), Support(spec), idleAnswers(spec), pullSecretWarnings(spec, secrets.PullSecret),
		bundleWarnings(spec.OpenShift.TrustBundle, time.Now()), endedSkips(spec, time.Now()))
}

// rules are the rules across fields. A rule keeps silent about values that do not pass the rule of their own field.
func rules() []func(state.Spec) []Fault {
	return []func(state.Spec) []Fault{
		clusterDomain, overlaps, reserved, hostPrefixes, diskBounds, topoLVM, groupNames, singleReferences, proxyRules, synRules,
		versionOfDistribution, ciliumSource, sameEndpoints, skippedChecks,
	}
}
