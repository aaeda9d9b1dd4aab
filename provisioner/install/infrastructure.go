package install

import (
	"context"
	"fmt"

	"exoshift/provisioner"
	"exoshift/state"
)

func (i *Installation) ensureSSHKey(ctx context.Context, report provisioner.Report) error {
	action, err := i.clients.Cloud.EnsureSSHKey(ctx, i.spec.SSHKeyName(), i.spec.OpenShift.SSHKey)
	if err != nil {
		return err
	}
	report.EmitObject(state.KindSSHKey, i.spec.SSHKeyName(), "", string(action))
	return nil
}

// Exoscale's limit of instances in an anti-affinity group.
const affinityCapacity = 8

type affinityGroup struct {
	role  state.Role
	index int
}

func (i *Installation) listAffinityGroups() []affinityGroup {
	var groups []affinityGroup
	for _, role := range append([]state.Role{state.RoleLoadBalancer, state.RoleMaster}, i.spec.ComputeRoles()...) {
		for first := 0; first < len(i.spec.Machines(role)); first += affinityCapacity {
			groups = append(groups, affinityGroup{role, first / affinityCapacity})
		}
	}
	return groups
}

func (i *Installation) ensureAntiAffinityGroups(ctx context.Context, report provisioner.Report) error {
	return provisioner.ForEach(ctx, i.listAffinityGroups(), func(ctx context.Context, group affinityGroup) error {
		name := i.formatAffinityName(group)
		id, action, err := i.clients.Cloud.EnsureAntiAffinityGroup(ctx, name, i.spec.ObjectDescription(string(group.role)))
		if err != nil {
			return err
		}
		i.mu.Lock()
		i.affinity[group] = id
		i.mu.Unlock()
		report.EmitObject(state.KindAntiAffinityGroup, name, id, string(action))
		return nil
	})
}

// Groups are numbered from the second on, so that growing a role renames nothing.
func (i *Installation) formatAffinityName(group affinityGroup) string {
	if group.index == 0 {
		return i.spec.ObjectName(string(group.role))
	}
	return i.spec.ObjectName(fmt.Sprintf("%s_%d", group.role, group.index+1))
}
