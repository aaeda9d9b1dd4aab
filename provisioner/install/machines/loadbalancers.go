package machines

import (
	"context"
	"errors"
	"io/fs"

	"exoshift/assets"
	"exoshift/provisioner"
	"exoshift/state"
)

// The minimum number of router slots of a load balancer: its configuration is never updated, and routers may be added
// later.
const routerSlots = 16

// LoadBalancerTemplate is the public template that load balancers boot from.
const LoadBalancerTemplate = "Linux Ubuntu 24.04 LTS 64-bit"

// EnsureLoadBalancers starts the load balancers as soon as their security groups exist: rules come while they boot.
func (m *Machines) EnsureLoadBalancers(ctx context.Context, report provisioner.Report) error {
	if m.Spec.IsRoundRobin() {
		return provisioner.Skip("dns-round-robin has no load balancers")
	}
	if err := m.SecurityGroups.WaitCreated(ctx); err != nil {
		return err
	}
	template, err := m.Cloud.FindPublicTemplate(ctx, LoadBalancerTemplate)
	if err != nil {
		return err
	}
	machines := m.Spec.Machines(state.RoleLoadBalancer)
	err = m.ensureInstances(ctx, report, machines, template, m.renderBalancer, nil)
	if err != nil {
		return err
	}
	publish := func(ctx context.Context) error { return m.DNS.Publish(ctx, report, machines, m.findAddress) }
	attach := func(ctx context.Context) error {
		return provisioner.ForEach(ctx, machines, func(ctx context.Context, machine state.Machine) error {
			return m.attachElasticIPs(ctx, report, machine)
		})
	}
	return provisioner.ForEach(ctx, []func(context.Context) error{publish, attach}, func(ctx context.Context, do func(context.Context) error) error {
		return do(ctx)
	})
}

// ListOutdated returns why load balancers do not suit the answers, by name: by what they were started with, as far as the folder has it.
func (m *Machines) ListOutdated() (map[string]string, error) {
	outdated := map[string]string{}
	wanted := assets.LoadBalancer{Routers: len(m.Spec.Machines(m.Spec.RouterRole())), ProxyProtocol: m.Spec.LoadBalancer.ProxyProtocol}
	for _, machine := range m.Spec.Machines(state.RoleLoadBalancer) {
		userData, err := m.Folder.Read(state.FormatUserDataFile(machine.Name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if reason := wanted.DescribeMismatch(userData); reason != "" {
			outdated[machine.Name] = reason
		}
	}
	return outdated, nil
}

// Each load balancer has a host key of its own.
func (m *Machines) renderBalancer(state.Machine) ([]byte, error) {
	hostKey, err := assets.NewHostKey()
	if err != nil {
		return nil, err
	}
	return assets.RenderLoadBalancerUserData(assets.LoadBalancer{
		Domain:        m.Spec.Domain(),
		Masters:       m.Spec.Sizing.ControlPlane.Count,
		Routers:       max(len(m.Spec.Machines(m.Spec.RouterRole())), routerSlots),
		ProxyProtocol: m.Spec.LoadBalancer.ProxyProtocol,
		SSHKey:        m.Spec.OpenShift.SSHKey,
		HostKey:       hostKey,
	})
}

// Both load balancers have both elastic IPs; the health checks choose which one serves.
func (m *Machines) attachElasticIPs(ctx context.Context, report provisioner.Report, machine state.Machine) error {
	instance, _ := m.Find(machine.Name)
	for _, ip := range []state.ElasticIP{m.ElasticIPs.API(), m.ElasticIPs.Ingress()} {
		action, err := m.Cloud.EnsureAttached(ctx, ip.ID, instance.ID)
		if err != nil {
			return err
		}
		report.EmitObject("elastic-ip-attachment", ip.Name+" on "+machine.Name, "", string(action))
	}
	return nil
}
