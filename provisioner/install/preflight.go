package install

import (
	"context"
	"fmt"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

func (i *Installation) credentials(ctx context.Context, _ provisioner.Report) error {
	return i.world.Cloud.CheckCredentials(ctx)
}

// quotas compares what is still to be created with what the organization may have.
func (i *Installation) quotas(ctx context.Context, report provisioner.Report) error {
	if err := i.checkTypes(ctx); err != nil {
		return err
	}
	needs, err := i.stillNeeded(ctx)
	if err != nil {
		return err
	}
	quotas, err := i.world.Cloud.Quotas(ctx)
	if err != nil {
		return err
	}
	var short []string
	for _, quota := range quotas {
		need, limited := needs[quota.Resource], quota.Limit >= 0
		if need > 0 && limited && quota.Used+need > quota.Limit {
			short = append(short, fmt.Sprintf("%s: needs %d more, %d of %d are in use", quota.Resource, need, quota.Used, quota.Limit))
		}
	}
	if len(short) > 0 {
		return fault.Newf(fault.Quota, "check quotas", "%s", strings.Join(short, "; ")).
			WithHint("ask Exoscale for higher limits in the portal under Organization, Quotas; this run has created nothing")
	}
	progress(report, fmt.Sprintf("quotas suffice for %d more instances and %d more elastic IPs", needs["instance"], needs["elastic-ip"]))
	return nil
}

// stillNeeded counts by the names of Exoscale's quotas.
func (i *Installation) stillNeeded(ctx context.Context) (map[string]int, error) {
	instances, err := i.world.Cloud.Instances(ctx, i.labels())
	if err != nil {
		return nil, err
	}
	ips, err := i.world.Cloud.ElasticIPs(ctx, i.labels())
	if err != nil {
		return nil, err
	}
	return map[string]int{
		"instance":   max(0, i.wantedInstances()-len(instances)),
		"elastic-ip": max(0, 2-len(ips)),
	}, nil
}

func (i *Installation) wantedInstances() int {
	wanted := i.spec.Sizing.LoadBalancers.Count + len(i.spec.Nodes())
	if !i.bootstrapped() {
		wanted++
	}
	return wanted
}

// checkTypes refuses instance types that the zone does not offer to this organization.
func (i *Installation) checkTypes(ctx context.Context) error {
	offered, err := i.world.Cloud.InstanceTypes(ctx)
	if err != nil {
		return err
	}
	authorized := map[string]bool{}
	for _, offer := range offered {
		authorized[offer.Name] = offer.Authorized
	}
	machines := append(i.spec.Machines(state.RoleBootstrap), i.spec.Machines(state.RoleLoadBalancer)...)
	for _, machine := range append(machines, i.spec.Nodes()...) {
		allowed, known := authorized[machine.Type]
		if !known {
			return fault.Newf(fault.Invalid, "check instance types", "zone %s offers no %s, which %s asks for", i.spec.Exoscale.Zone, machine.Type, machine.Name).
				WithHint("choose another type in the answers file under sizing")
		}
		if !allowed {
			return fault.Newf(fault.Quota, "check instance types", "the organization may not use %s, which %s asks for", machine.Type, machine.Name).
				WithHint("ask Exoscale to authorize the type, or choose another one under sizing")
		}
	}
	return nil
}
