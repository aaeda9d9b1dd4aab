package install

import (
	"context"

	"exoshift/assets"
	"exoshift/provisioner"
	"exoshift/state"
)

// The minimum number of router slots of a load balancer: its configuration is never updated, and routers may be added
// later.
const routerSlots = 16

const ubuntu = "Linux Ubuntu 22.04 LTS 64-bit"

func (i *Installation) ensureLoadBalancers(ctx context.Context, report provisioner.Report) error {
	if i.spec.IsRoundRobin() {
		return provisioner.Skip("DNS balances the load")
	}
	template, err := i.clients.Cloud.FindPublicTemplate(ctx, ubuntu)
	if err != nil {
		return err
	}
	userData, err := assets.RenderLoadBalancerUserData(assets.LoadBalancer{
		Domain:        i.spec.Domain(),
		Masters:       i.spec.Sizing.ControlPlane.Count,
		Routers:       max(len(i.spec.Machines(i.spec.RouterRole())), routerSlots),
		ProxyProtocol: i.spec.LoadBalancer.ProxyProtocol,
	})
	if err != nil {
		return err
	}
	machines := i.spec.Machines(state.RoleLoadBalancer)
	err = i.startMachines(ctx, report, machines, template, func(state.Machine) ([]byte, error) { return userData, nil })
	if err != nil {
		return err
	}
	return provisioner.ForEach(ctx, machines, func(ctx context.Context, machine state.Machine) error {
		return i.attachElasticIPs(ctx, report, machine)
	})
}

// Both load balancers have both elastic IPs; the health checks choose which one serves.
func (i *Installation) attachElasticIPs(ctx context.Context, report provisioner.Report, machine state.Machine) error {
	i.mu.Lock()
	id := i.nodes[machine.Name].ID
	i.mu.Unlock()
	for _, ip := range []state.ElasticIP{i.elasticIPs.API(), i.elasticIPs.Ingress()} {
		action, err := i.clients.Cloud.EnsureAttached(ctx, ip.ID, id)
		if err != nil {
			return err
		}
		report.EmitObject(kindAttachment, ip.Name+" on "+machine.Name, "", string(action))
	}
	return nil
}
