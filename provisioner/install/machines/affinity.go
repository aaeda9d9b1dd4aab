package machines

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"exoshift/provisioner"
	"exoshift/state"
)

const affinityCapacity = state.MaxAntiAffinity

// AntiAffinityGroups keep the machines of a role on different hypervisors.
type AntiAffinityGroups struct {
	spec  state.Spec
	cloud Cloud

	mu  sync.Mutex        // guards ids
	ids map[string]string // by name
}

// NewAntiAffinityGroups returns the anti-affinity groups of a cluster.
func NewAntiAffinityGroups(spec state.Spec, cloud Cloud) *AntiAffinityGroups {
	return &AntiAffinityGroups{spec: spec, cloud: cloud, ids: map[string]string{}}
}

// Ensure creates the groups.
func (a *AntiAffinityGroups) Ensure(ctx context.Context, report provisioner.Report) error {
	return provisioner.ForEach(ctx, listAffinityGroups(a.spec), func(ctx context.Context, group affinityGroup) error {
		name := group.formatName(a.spec)
		id, action, err := a.cloud.EnsureAntiAffinityGroup(ctx, name, a.spec.ObjectDescription(string(group.role)))
		if err != nil {
			return err
		}
		a.mu.Lock()
		a.ids[name] = id
		a.mu.Unlock()
		report.EmitObject(state.KindAntiAffinityGroup, name, id, string(action))
		return nil
	})
}

// The bootstrap machine is in none.
func (a *AntiAffinityGroups) listIDs(machine state.Machine) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if id := a.ids[FormatAffinityGroup(a.spec, machine)]; id != "" {
		return []string{id}
	}
	return nil
}

type affinityGroup struct {
	role  state.Role
	index int
}

// Groups are numbered from the second on, so that growing a role renames nothing.
func (g affinityGroup) formatName(spec state.Spec) string {
	if g.index == 0 {
		return spec.ObjectName(string(g.role))
	}
	return spec.ObjectName(fmt.Sprintf("%s_%d", g.role, g.index+1))
}

func listAffinityGroups(spec state.Spec) []affinityGroup {
	var groups []affinityGroup
	for _, role := range append([]state.Role{state.RoleLoadBalancer, state.RoleMaster}, spec.ComputeRoles()...) {
		for _, machine := range spec.Machines(role) { // in the order of their indices
			if group := findAffinityGroup(machine); !slices.Contains(groups, group) {
				groups = append(groups, group)
			}
		}
	}
	return groups
}

// ListAffinityGroups returns the names of a cluster's anti-affinity groups.
func ListAffinityGroups(spec state.Spec) []string {
	var names []string
	for _, group := range listAffinityGroups(spec) {
		names = append(names, group.formatName(spec))
	}
	return names
}

// FormatAffinityGroup returns the name of a machine's anti-affinity group.
func FormatAffinityGroup(spec state.Spec, machine state.Machine) string {
	return findAffinityGroup(machine).formatName(spec)
}

// A pool has one group for all of its members, or none if it has more of them than a group can have.
func findAffinityGroup(machine state.Machine) affinityGroup {
	if machine.Pool {
		return affinityGroup{role: machine.Role}
	}
	return affinityGroup{machine.Role, machine.Index / affinityCapacity}
}
