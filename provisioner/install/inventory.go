package install

import (
	"fmt"

	"exoshift/provisioner"
	"exoshift/state"
)

// Wanted is an object that the recipe asks for.
type Wanted struct{ Kind, Name, Details string }

// Steps returns the plan of a Spec for looking at; its steps cannot be run.
func Steps(spec state.Spec) provisioner.Plan { return (&Installation{spec: spec}).Plan() }

// Inventory returns what the recipe asks the cloud for, in the order of creation.
func Inventory(spec state.Spec) []Wanted {
	i := &Installation{spec: spec}
	wanted := []Wanted{{"ssh-key", i.sshKeyName(), ""}}
	for _, group := range i.securityGroupSpecs() {
		wanted = append(wanted, Wanted{"security-group", group.Name, fmt.Sprintf("%d rules", len(group.Rules))})
	}
	for _, role := range append([]state.Role{state.RoleLoadBalancer, state.RoleMaster}, spec.ComputeRoles()...) {
		for first := 0; first < len(spec.Machines(role)); first += affinityCapacity {
			wanted = append(wanted, Wanted{"anti-affinity-group", i.affinityName(role, first/affinityCapacity), ""})
		}
	}
	wanted = append(wanted,
		Wanted{"elastic-ip", i.name("api"), "api." + spec.Domain()},
		Wanted{"elastic-ip", i.name("ingress"), "*." + spec.AppsDomain()},
		Wanted{"dns-zone", spec.Domain(), ""},
		Wanted{"bucket", spec.Bucket("image"), "until the node image is registered"},
		Wanted{"template", "rhcos-<build>", "unless the zone has it"},
		Wanted{"bucket", spec.Bucket("bootstrap"), "until the bootstrap is complete"},
	)
	machines := append(spec.Machines(state.RoleLoadBalancer), spec.Machines(state.RoleBootstrap)...)
	for _, machine := range append(machines, spec.Nodes()...) {
		details := fmt.Sprintf("%s, %d GiB", machine.Type, machine.RootDisk+machine.DataDisk)
		if machine.Role == state.RoleBootstrap {
			details += ", until the bootstrap is complete"
		}
		wanted = append(wanted, Wanted{"instance", machine.Name, details})
	}
	return wanted
}
