// Package wizard is the answers file: its fields as data, the rules across them, and the secrets they refer to. It
// draws nothing and contacts nobody.
package wizard

import (
	"cmp"
	"slices"
	"time"

	"exoshift/state"
)

// Parse reads an answers file over the defaults. It returns every fault of the file at once, in the order of the
// file; with faults, the Spec is good for nothing but showing. name is what the faults call the file.
func Parse(name string, yaml []byte) (state.Spec, []Fault) {
	doc := read(name, yaml)
	if !doc.broken {
		doc.add(Check(doc.spec))
	}
	return doc.spec, doc.sorted()
}

// Load is Parse followed by ResolveSecrets and CheckPaths, with the faults of all in one list.
func Load(name string, yaml []byte, lookup func(env string) (string, bool)) (state.Spec, Secrets, []Fault) {
	doc := read(name, yaml)
	if doc.broken {
		return doc.spec, Secrets{}, doc.faults
	}
	doc.add(Check(doc.spec))
	secrets, faults := ResolveSecrets(doc.spec, lookup)
	doc.add(append(faults, CheckPaths(doc.spec)...))
	return doc.spec, secrets, doc.sorted()
}

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

// Warnings returns what is allowed but deserves a look before money is spent. It never repeats a secret.
func Warnings(spec state.Spec, secrets Secrets) []Fault {
	return slices.Concat(dockerBridge(spec), notUsedYet(spec), pullSecretWarnings(spec, secrets.PullSecret),
		bundleWarnings(spec.OpenShift.TrustBundle, time.Now()))
}

// Placed returns faults that know their field only with their places in the answers file that they are about.
func Placed(name string, yaml []byte, faults []Fault) []Fault {
	doc := read(name, yaml)
	doc.faults = nil
	for _, f := range faults {
		doc.report(doc.place(f.Field), f)
	}
	return doc.sorted()
}

// rules are the rules across fields. A rule keeps silent about values that do not pass the rule of their own field.
func rules() []func(state.Spec) []Fault {
	return []func(state.Spec) []Fault{
		clusterDomain, overlaps, reserved, hostPrefixes, diskBounds, topoLVM, groupNames, singleReferences, proxyRules, synRules,
		versionOfDistribution, ciliumSource,
	}
}

// add takes in faults that know their field only, unless the field or what it is part of is known to be wrong.
func (d *document) add(faults []Fault) {
	var fresh []Fault
	for _, f := range faults {
		if !d.known(f.Field) {
			fresh = append(fresh, f)
		}
	}
	for _, f := range fresh {
		d.report(d.place(f.Field), f)
	}
}

// known tells whether a fault of the field, or of a part of the document that holds it, has been reported.
func (d *document) known(field string) bool {
	for ; field != ""; field = parent(field) {
		if slices.ContainsFunc(d.faults, func(f Fault) bool { return f.Field == field }) {
			return true
		}
	}
	return false
}

func (d *document) sorted() []Fault {
	slices.SortStableFunc(d.faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return d.faults
}
