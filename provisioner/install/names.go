package install

import (
	"exoshift/assets"
	"exoshift/provisioner/install/machines"
	"exoshift/provisioner/install/network"
	"exoshift/provisioner/install/preflight"
	"exoshift/provisioner/install/syn"
	"exoshift/state"
)

// ListNames returns the kinds and names of all objects whose names no other cluster can have, as far as they follow from
// the answers: the names of machines are shared, and anti-affinity groups of removed machines are in the journal only. The
// SSH key is one that earlier versions registered.
// Records are named relative to their zone, with their type and without their content.
func ListNames(spec state.Spec) []state.Object {
	var names []state.Object
	add := func(kind string, all ...string) {
		for _, name := range all {
			names = append(names, state.Object{Kind: kind, Name: name})
		}
	}
	add(state.KindSSHKey, spec.SSHKeyName())
	for _, group := range network.BuildSecurityGroups(spec) {
		add(state.KindSecurityGroup, group.Name)
	}
	add(state.KindAntiAffinityGroup, machines.ListAffinityGroups(spec)...)
	add(state.KindElasticIP, spec.ObjectName("api"), spec.ObjectName("ingress"))
	if spec.Network.PrivateNetwork != "" {
		add(state.KindPrivateNetwork, network.FormatPrivateNetwork(spec))
	}
	for _, policy := range assets.ListPolicies() {
		add(state.KindRole, spec.ObjectName(policy))
		add(state.KindAPIKey, spec.ObjectName(policy))
	}
	add(state.KindBucket, spec.BucketNames()...)
	add(state.KindZone, spec.Domain())
	add(state.KindRecord, network.ListRecordNames(spec, preflight.ListMachines(spec, state.Facts{}))...)
	for _, name := range syn.ListChallengeNames(spec) {
		add(state.KindRecord, name+" CNAME")
	}
	return names
}
