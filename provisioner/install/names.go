package install

import (
	"exoshift/assets"
	"exoshift/provisioner/install/syn"
	"exoshift/state"
)

// Names are the kinds and names of all objects that an installation gives a name which no other cluster can have, as far as
// the answers tell them: the names of machines are shared, and groups of machines that the answers have no more are known
// to the journal alone. Records are named relative to their zone, with their type and without their content.
func Names(spec state.Spec) []state.Object {
	i := &Installation{spec: spec}
	var names []state.Object
	add := func(kind string, all ...string) {
		for _, name := range all {
			names = append(names, state.Object{Kind: kind, Name: name})
		}
	}
	add(state.KindSSHKey, i.sshKeyName())
	for _, group := range i.securityGroupSpecs() {
		add(state.KindSecurityGroup, group.Name)
	}
	for _, group := range i.affinityGroups() {
		add(state.KindAntiAffinityGroup, i.affinityName(group))
	}
	add(state.KindElasticIP, i.name("api"), i.name("ingress"))
	for _, policy := range assets.Policies() {
		add(state.KindRole, i.name(policy))
		add(state.KindAPIKey, i.name(policy))
	}
	add(state.KindBucket, Buckets(spec)...)
	add(state.KindZone, spec.Domain())
	for _, record := range i.fixedRecords() {
		add(state.KindRecord, record.Name+" "+record.Type)
	}
	for _, machine := range i.everyMachine() {
		for _, name := range i.namesOf(machine) {
			add(state.KindRecord, name+" A")
		}
	}
	for _, name := range syn.Challenged(spec) {
		add(state.KindRecord, name+" CNAME")
	}
	return names
}
