package state

import (
	"fmt"
	"slices"
)

// InstancePool is a group of equal instances that the cloud makes, and makes again when one is lost. The cloud fills ID, State and
// Members.
type InstancePool struct {
	Name               string
	Prefix             string // of the members' names, which the cloud completes: <prefix>-xxxxx-yyyyy
	Type               string // <family>.<size>, as everything below of members that are made from now on
	TemplateID         string
	DiskGiB            int
	UserData           []byte   // plain, not base64; the same for all members
	SecurityGroups     []string // IDs
	AntiAffinityGroups []string // IDs
	PrivateNetworks    []string // IDs
	Labels             map[string]string
	DeployTarget       string // ID of dedicated hypervisors; "" for any
	Size               int
	MinAvailable       int // below which the cloud does not let the pool sink

	ID      string
	State   string   // Exoscale's state: running, scaling-up, ...
	Members []string // IDs of instances
}

// MaxAntiAffinity is Exoscale's limit of instances in an anti-affinity group.
const MaxAntiAffinity = 8

// ListPoolRoles returns the roles whose machines are members of instance pools.
func ListPoolRoles(s Spec) []Role {
	return slices.DeleteFunc(s.ComputeRoles(), func(role Role) bool { return !s.findMachineSpec(role).Pool })
}

// newMembers returns the machines of a pool: those that are known, then those that it has yet to make.
func newMembers(names []string, role Role, spec MachineSpec) []Machine {
	machines := make([]Machine, max(spec.Count, 0))
	for i := range machines {
		name := FormatUnmade(role, i)
		if i < len(names) {
			name = names[i]
		}
		machines[i] = Machine{Name: name, Role: role, Index: i, MachineSpec: spec}
	}
	return machines
}

// FormatUnmade returns what stands for the name of a member that its pool has not made yet; no machine can have such a name.
func FormatUnmade(role Role, index int) string { return fmt.Sprintf("%s-#%d", role, index+1) }
