package install

import (
	"exoshift/assets"
	"exoshift/provisioner/install/syn"
	"exoshift/state"
)

// ListNames are the kinds and names of all objects that an installation gives a name which no other cluster can have, as far as
// the answers tell them: the names of machines are shared, and groups of machines that the answers have no more are known
// to the journal alone. Records are named relative to their zone, with their type and without their content.
func ListNames(spec state.Spec) []state.Object {
	i := &Installation{spec: spec}
	var names []state.Object
	add := func(kind string, all ...string) {
		for _, name := range all {
			names = append(names, state.Object{Kind: kind, Name: name})
		}
	}
	add(state.KindSSHKey, i.formatSSHKeyName())
	for _, group := range i.buildSecurityGroups() {
		add(state.KindSecurityGroup, group.Name)
	}
	for _, group := range i.listAffinityGroups() {
		add(state.KindAntiAffinityGroup, i.formatAffinityName(group))
	}
	add(state.KindElasticIP, i.formatName("api"), i.formatName("ingress"))
	for _, policy := range assets.ListPolicies() {
		add(state.KindRole, i.formatName(policy))
		add(state.KindAPIKey, i.formatName(policy))
	}
	add(state.KindBucket, ListBucketNames(spec)...)
	add(state.KindZone, spec.Domain())
	for _, record := range i.buildFixedRecords() {
		add(state.KindRecord, record.Name+" "+record.Type)
	}
	for _, machine := range i.listMachines() {
		for _, name := range i.listMachineNames(machine) {
			add(state.KindRecord, name+" A")
		}
	}
	for _, name := range syn.ListChallengeNames(spec) {
		add(state.KindRecord, name+" CNAME")
	}
	return names
}
