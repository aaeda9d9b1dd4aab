package install

import (
	"context"
	"fmt"
	"slices"
	"time"

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

// The groups are created before the rules, which refer to each other.
func (i *Installation) ensureSecurityGroups(ctx context.Context, report provisioner.Report) error {
	groups := i.buildSecurityGroups()
	bare := make([]state.SecurityGroup, len(groups))
	for n, group := range groups {
		bare[n] = state.SecurityGroup{Name: group.Name, Description: group.Description}
	}
	if err := provisioner.ForEach(ctx, bare, func(ctx context.Context, group state.SecurityGroup) error {
		return i.ensureSecurityGroup(ctx, report, group)
	}); err != nil {
		return err
	}
	groups = slices.DeleteFunc(groups, func(group state.SecurityGroup) bool { return len(group.Rules) == 0 })
	return provisioner.ForEach(ctx, groups, func(ctx context.Context, group state.SecurityGroup) error {
		return i.ensureSecurityGroup(ctx, report, group)
	})
}

func (i *Installation) ensureSecurityGroup(ctx context.Context, report provisioner.Report, group state.SecurityGroup) error {
	id, action, err := i.clients.Cloud.EnsureSecurityGroup(ctx, group)
	if err != nil {
		return err
	}
	i.mu.Lock()
	i.groups[group.Name] = id
	i.mu.Unlock()
	if len(group.Rules) == 0 || action == state.Updated {
		report.EmitObject(state.KindSecurityGroup, group.Name, id, string(action))
	}
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

func (i *Installation) ensureElasticIPs(ctx context.Context, report provisioner.Report) error {
	if i.spec.IsRoundRobin() {
		return provisioner.Skip("DNS balances the load")
	}
	var err error
	if i.api, err = i.ensureElasticIP(ctx, report, "api"); err != nil {
		return err
	}
	if i.ingress, err = i.ensureElasticIP(ctx, report, "ingress"); err != nil {
		return err
	}
	return i.facts.Update(func(facts *state.Facts) {
		facts.APIAddress, facts.IngressAddress = i.api.Address, i.ingress.Address
	})
}

func (i *Installation) ensureElasticIP(ctx context.Context, report provisioner.Report, what string) (state.ElasticIP, error) {
	ip, action, err := i.clients.Cloud.EnsureElasticIP(ctx, state.ElasticIP{
		Name:   i.spec.ObjectName(what),
		Labels: i.spec.Labels(),
		// All values are set: the defaults of Exoscale's tools differ from each other.
		Healthcheck: state.Healthcheck{
			Mode: "http", Port: portHealth, Path: "/healthz",
			Interval: 10 * time.Second, Timeout: 2 * time.Second, StrikesOK: 2, StrikesFail: 3,
		},
		ReverseDNS: what + "." + i.spec.Domain(),
	})
	if err != nil {
		return state.ElasticIP{}, err
	}
	report.EmitObject(state.KindElasticIP, i.spec.ObjectName(what), ip.ID, string(action))
	return ip, nil
}
