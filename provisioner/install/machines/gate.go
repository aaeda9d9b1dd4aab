package machines

import (
	"context"
	"fmt"
	"strings"
	"time"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/network"
	"exoshift/state"
)

const (
	// gateLimit is long for two packages, and short enough to hear of a failure within ten minutes.
	gateLimit    = 6 * time.Minute
	gateInterval = 5 * time.Second
)

// Balancers asks load balancers, from this workstation, whether they work.
type Balancers interface {
	// CheckMonitor returns nil if the monitor port behind an address answers that HAProxy is ready.
	CheckMonitor(ctx context.Context, address string) error
	// CheckPort returns nil if a TCP port is open.
	CheckPort(ctx context.Context, address string, port int) error
}

// BootLogs reads what machines said while they booted.
type BootLogs interface {
	// ReadBootLog returns the last lines of what the first boot of a load balancer printed, without secrets. hostKey is what the
	// machine is known by.
	ReadBootLog(ctx context.Context, balancer, hostKey string) ([]string, error)
}

// Gate is in front of the nodes: nothing is paid for that could not be reached, or could not fetch its configuration.
type Gate struct {
	Spec      state.Spec
	Facts     *state.FactsStore
	Balancers Balancers // nil: nothing is asked
	BootLogs  BootLogs  // nil: nothing is read
	Clock     provisioner.Clock
	Machines  *Machines
}

// Wait returns the step that waits until the load balancers answer, each at its own address, and each elastic IP.
func (g Gate) Wait() provisioner.StepFunc {
	wait := provisioner.PollUntil(g.Clock, gateInterval, gateLimit, func(ctx context.Context, _ provisioner.Report) error { return g.check(ctx) })
	return func(ctx context.Context, report provisioner.Report) error {
		switch {
		case g.Spec.IsRoundRobin():
			return provisioner.Skip("dns-round-robin has no load balancers")
		case g.Balancers == nil:
			return provisioner.Skip("no node uses the load balancers")
		case g.Facts.Get().IsBootstrapped():
			return provisioner.Skip("the cluster is running")
		}
		err := wait(ctx, report)
		if err == nil || ctx.Err() != nil {
			return err
		}
		return fault.New(fault.Timeout, "wait until the load balancers answer", err).WithHint("%s", g.readBootLog(ctx)+g.formatHint())
	}
}

func (g Gate) check(ctx context.Context) error {
	for _, machine := range g.Spec.Machines(state.RoleLoadBalancer) {
		instance, _ := g.Machines.Find(machine.Name)
		if err := g.checkBalancer(ctx, instance.Address); err != nil {
			return fmt.Errorf("HAProxy does not answer on %s (%s), so its packages could not be installed when it booted, or cloud-init failed: %w",
				machine.Name, instance.Address, err)
		}
	}
	for _, through := range []struct {
		what string
		ip   state.ElasticIP
		port int
	}{{"API", g.Machines.ElasticIPs.API(), network.PortAPI}, {"ingress", g.Machines.ElasticIPs.Ingress(), portIngress}} {
		if err := g.checkWay(ctx, through.ip.Address, through.port); err != nil {
			return fmt.Errorf("the load balancers answer, but the elastic IP of the %s (%s) reaches none of them: %w", through.what, through.ip.Address, err)
		}
	}
	return nil
}

const portIngress = 443

// HAProxy opens all of its ports or none, so that its answer also tells of port 22623, which is closed to us.
func (g Gate) checkBalancer(ctx context.Context, address string) error {
	if err := g.checkWay(ctx, address, network.PortAPI); err != nil {
		return err
	}
	return g.Balancers.CheckPort(ctx, address, network.PortAPI)
}

// checkWay accepts an open port in the place of the monitor's answer if that is lost on the way: a firewall on our side may
// let nothing but the cluster's own ports through.
func (g Gate) checkWay(ctx context.Context, address string, port int) error {
	err := g.Balancers.CheckMonitor(ctx, address)
	if fault.Is(err, fault.Timeout) && g.Balancers.CheckPort(ctx, address, port) == nil {
		return nil
	}
	return err
}

// The API has no text of a machine's console, only a link to its screen. readBootLog returns the log of the first load balancer that does
// not work, to be put before the hint, or why that could not be read; "" if nothing is read.
func (g Gate) readBootLog(ctx context.Context) string {
	for _, machine := range g.Spec.Machines(state.RoleLoadBalancer) {
		instance, _ := g.Machines.Find(machine.Name)
		if g.BootLogs == nil || g.checkBalancer(ctx, instance.Address) == nil {
			continue
		}
		lines, err := g.readLog(ctx, instance)
		if err != nil {
			return "The log of " + machine.Name + " could not be read: " + err.Error() + "\n"
		}
		if len(lines) > 0 {
			return "The log of " + machine.Name + " ends with:\n  " + strings.Join(lines[max(0, len(lines)-maxLogLines):], "\n  ") + "\n"
		}
	}
	return ""
}

// maxLogLines are shown.
const maxLogLines = 15

// A machine is known by the key that it was started with.
func (g Gate) readLog(ctx context.Context, instance state.Instance) ([]string, error) {
	userData, err := g.Machines.Folder.Read(state.FormatUserDataFile(instance.Name))
	if err != nil {
		return nil, err
	}
	hostKey, err := assets.FindHostKey(userData)
	if err != nil {
		return nil, err
	}
	return g.BootLogs.ReadBootLog(ctx, instance.Address, hostKey)
}

func (g Gate) formatHint() string {
	var lines, names []string
	for _, machine := range g.Spec.Machines(state.RoleLoadBalancer) {
		instance, _ := g.Machines.Find(machine.Name)
		names = append(names, machine.Name)
		lines = append(lines, "ssh ubuntu@"+instance.Address+" 'cloud-init status --long; tail -n 30 /var/log/cloud-init-output.log; journalctl --no-pager -u haproxy -n 20'")
	}
	return "No node was created. To see why:\n" + strings.Join(lines, "\n") +
		"\nIf cloud-init failed before it installed your key, only the console shows more; its link is valid for one minute:\n" +
		"exo compute instance console-url --zone " + g.Spec.Exoscale.Zone + " " + names[0] +
		"\nPackages are only installed on the first boot: delete the machines, and run the same command again:\n" +
		"exo compute instance delete --zone " + g.Spec.Exoscale.Zone + " " + strings.Join(names, " ")
}
