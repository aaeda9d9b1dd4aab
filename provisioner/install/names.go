package install

import (
	"exoshift/assets"
	"exoshift/provisioner/install/network"
	"exoshift/provisioner/install/syn"
	"exoshift/state"
)

// ListNames returns the kinds and names of all objects whose names no other cluster can have, as far as they follow from
// the answers: the names of machines are shared, and anti-affinity groups of removed machines are in the journal only.
// Records are named relative to their zone, with their type and without their content.
func ListNames(spec state.Spec) []state.Object {
	i := &Installation{spec: spec, facts: &state.FactsStore{}}
	var names []state.Object
	add := func(kind string, all ...string) {
		for _, name := range all {
			names = append(names, state.Object{Kind: kind, Name: name})
		}
	}
	add(state.KindSSHKey, i.spec.SSHKeyName())
	for _, group := range network.BuildSecurityGroups(i.spec) {
		add(state.KindSecurityGroup, group.Name)
	}
	for _, group := range i.listAffinityGroups() {
		add(state.KindAntiAffinityGroup, i.formatAffinityName(group))
	}
	add(state.KindElasticIP, i.spec.ObjectName("api"), i.spec.ObjectName("ingress"))
	for _, policy := range assets.ListPolicies() {
		add(state.KindRole, i.spec.ObjectName(policy))
		add(state.KindAPIKey, i.spec.ObjectName(policy))
	}
	add(state.KindBucket, spec.BucketNames()...)
	add(state.KindZone, spec.Domain())
	add(state.KindRecord, network.ListRecordNames(spec, i.listMachines())...)
	for _, name := range syn.ListChallengeNames(spec) {
		add(state.KindRecord, name+" CNAME")
	}
	return names
}
