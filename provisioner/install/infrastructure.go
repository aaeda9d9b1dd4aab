package install

import (
	"context"
	"fmt"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
)

func (i *Installation) sshKeyName() string { return i.spec.Cluster.ID + "-admin" }

func (i *Installation) sshKey(ctx context.Context, report provisioner.Report) error {
	action, err := i.world.Cloud.EnsureSSHKey(ctx, i.sshKeyName(), i.spec.OpenShift.SSHKey)
	if err != nil {
		return err
	}
	object(report, "ssh-key", i.sshKeyName(), "", action)
	return nil
}

// securityGroups makes the groups first, because their rules refer to each other.
func (i *Installation) securityGroups(ctx context.Context, report provisioner.Report) error {
	groups := i.securityGroupSpecs()
	bare := make([]state.SecurityGroup, len(groups))
	for n, group := range groups {
		bare[n] = state.SecurityGroup{Name: group.Name, Description: group.Description}
	}
	if err := sideBySide(ctx, bare, func(ctx context.Context, group state.SecurityGroup) error {
		return i.securityGroup(ctx, report, group)
	}); err != nil {
		return err
	}
	return sideBySide(ctx, groups, func(ctx context.Context, group state.SecurityGroup) error {
		return i.securityGroup(ctx, report, group)
	})
}

func (i *Installation) securityGroup(ctx context.Context, report provisioner.Report, group state.SecurityGroup) error {
	id, action, err := i.world.Cloud.EnsureSecurityGroup(ctx, group)
	if err != nil {
		return err
	}
	i.mu.Lock()
	i.groups[group.Name] = id
	i.mu.Unlock()
	if len(group.Rules) == 0 || action == state.Updated {
		object(report, "security-group", group.Name, id, action)
	}
	return nil
}

// affinityCapacity is how many instances an anti-affinity group holds.
const affinityCapacity = 8

func (i *Installation) antiAffinityGroups(ctx context.Context, report provisioner.Report) error {
	for _, role := range append([]state.Role{state.RoleLoadBalancer, state.RoleMaster}, i.spec.ComputeRoles()...) {
		count := len(i.spec.Machines(role))
		for first := 0; first < count; first += affinityCapacity {
			name := i.affinityName(role, first/affinityCapacity)
			id, action, err := i.world.Cloud.EnsureAntiAffinityGroup(ctx, name, fmt.Sprintf("%s of cluster %s", role, i.spec.Cluster.ID))
			if err != nil {
				return err
			}
			i.affinity[role] = append(i.affinity[role], id)
			object(report, "anti-affinity-group", name, id, action)
		}
	}
	return nil
}

// affinityName numbers the groups from the second on, so that growing a role renames nothing.
func (i *Installation) affinityName(role state.Role, group int) string {
	if group == 0 {
		return i.name(string(role))
	}
	return i.name(fmt.Sprintf("%s_%d", role, group+1))
}

func (i *Installation) elasticIPs(ctx context.Context, report provisioner.Report) error {
	var err error
	if i.api, err = i.elasticIP(ctx, report, "api"); err != nil {
		return err
	}
	if i.ingress, err = i.elasticIP(ctx, report, "ingress"); err != nil {
		return err
	}
	return i.remember(func(facts *state.Facts) {
		facts.APIAddress, facts.IngressAddress = i.api.Address, i.ingress.Address
	})
}

func (i *Installation) elasticIP(ctx context.Context, report provisioner.Report, what string) (state.ElasticIP, error) {
	ip, action, err := i.world.Cloud.EnsureElasticIP(ctx, state.ElasticIP{
		Name:   i.name(what),
		Labels: i.labels(),
		// All values are given: the defaults of Exoscale's tools differ from each other.
		Healthcheck: state.Healthcheck{
			Mode: "http", Port: portHealth, Path: "/healthz",
			Interval: 10 * time.Second, Timeout: 2 * time.Second, StrikesOK: 2, StrikesFail: 3,
		},
		ReverseDNS: what + "." + i.spec.Domain(),
	})
	if err != nil {
		return state.ElasticIP{}, err
	}
	object(report, "elastic-ip", i.name(what), ip.ID, action)
	return ip, nil
}
