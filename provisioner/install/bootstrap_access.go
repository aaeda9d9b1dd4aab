package install

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/network"
	"exoshift/state"
)

const (
	// limitAddress is the time for the load balancers to start and report our own address.
	limitAddress = 5 * time.Minute
	// limitClosing is the time to delete the rules at the end of a run, by the wall clock: the user who stopped the run
	// waits.
	limitClosing = time.Minute
	// temporary is the suffix of the descriptions of temporary rules, and of no others.
	temporary = "while somebody looks inside"
	// kindRule is part of a security group.
	kindRule = "security-group-rule"
	// stepAccess is the step whose rules the end of the run deletes.
	stepAccess = "bootstrap-access"
)

const (
	journalReported = 20
	journalKept     = 300
)

// openBootstrapAccess opens the bootstrap machine for the public address of this workstation. The installation does not
// depend on it: errors are emitted, and fail nothing.
func (i *Installation) openBootstrapAccess(ctx context.Context, report provisioner.Report) error {
	switch {
	case i.preview:
		return provisioner.Skip("nobody looks inside")
	case i.Facts().IsBootstrapped():
		i.closeAccess(ctx, report) // of an earlier run
		return provisioner.Skip("the cluster no longer needs it")
	case i.clients.Bootstrap == nil:
		i.closeAccess(ctx, report) // of an earlier run
		return provisioner.Skip("nobody looks inside")
	case i.spec.IsRoundRobin():
		return provisioner.Skip("there is no load balancer to tell our own address")
	}
	own, err := i.discoverAddress(ctx)
	if err == nil {
		err = i.openAccess(ctx, report, own)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		i.closeAccess(ctx, report) // of an earlier run, and a partial one of this run
		return provisioner.Skip("the bootstrap machine is not looked into: " + err.Error())
	}
	return nil
}

func (i *Installation) discoverAddress(ctx context.Context) (netip.Addr, error) {
	began := i.clients.Clock.Now()
	for {
		var failure error
		for _, machine := range i.spec.Machines(state.RoleLoadBalancer) {
			instance, _ := i.findInstance(machine.Name)
			own, err := i.clients.Bootstrap.DiscoverAddress(ctx, instance.Address)
			if err == nil || fault.Is(err, fault.NotFound) {
				return own, err
			}
			failure = err
		}
		if i.clients.Clock.Now().Sub(began) >= limitAddress {
			return netip.Addr{}, failure
		}
		if err := i.clients.Clock.Sleep(ctx, pollInterval); err != nil {
			return netip.Addr{}, err
		}
	}
}

func (i *Installation) openAccess(ctx context.Context, report provisioner.Report, own netip.Addr) error {
	if i.Facts().IsBootstrapped() { // meanwhile
		return nil
	}
	group := i.buildAccessGroup(own)
	i.setAccess(true) // a partial change has to be undone, too
	outdated := func(rule state.Rule) bool { return isTemporary(rule) && rule.CIDR != group.Rules[0].CIDR }
	if err := i.deleteRules(ctx, report, outdated); err != nil {
		return err
	}
	_, action, err := i.clients.Cloud.EnsureSecurityGroup(ctx, group)
	if err != nil {
		return err
	}
	report.EmitProgress("open to " + own.String())
	report.EmitObject(kindRule, group.Name+": temporary access", "", string(action))
	return nil
}

// The machine config server stays closed: it serves what a node joins with to every client, and this address is not ours
// alone. Many workstations may share it, and any machine between us and the load balancer can forge it.
func (i *Installation) buildAccessGroup(own netip.Addr) state.SecurityGroup {
	group := network.NewBootstrapGroup(i.spec)
	from := netip.PrefixFrom(own, own.BitLen()).String()
	for _, open := range []struct {
		port int
		what string
	}{{22, "SSH"}, {network.PortAPI, "Kubernetes API"}, {network.PortJournal, "journal"}} {
		group.Rules = append(group.Rules, state.Rule{
			Protocol: "tcp", From: open.port, To: open.port, CIDR: from, Description: open.what + " " + temporary,
		})
	}
	return group
}

func isTemporary(rule state.Rule) bool { return strings.HasSuffix(rule.Description, temporary) }

func (i *Installation) deleteRules(ctx context.Context, report provisioner.Report, useless func(state.Rule) bool) error {
	group := network.NewBootstrapGroup(i.spec).Name
	action, err := i.clients.Cloud.DeleteRules(ctx, group, useless)
	if action == state.Deleted {
		report.EmitObject(kindRule, group+": temporary access", "", string(action))
	}
	return err
}

// An error is emitted, and fails nothing: the rules are marked by their descriptions, are deleted by the next run, and
// lead to a machine that will be deleted.
func (i *Installation) closeAccess(ctx context.Context, report provisioner.Report) {
	if err := i.deleteRules(ctx, report, isTemporary); err != nil {
		report.EmitProgress("temporary access to the bootstrap machine could not be taken away: " + err.Error())
		return
	}
	i.setAccess(false)
}

// Close deletes the rules that were created for this run only, also after the run was stopped.
func (i *Installation) Close(ctx context.Context, report provisioner.Report) {
	i.mu.Lock()
	open := i.accessOpen
	i.mu.Unlock()
	if !open {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limitClosing)
	defer cancel()
	i.closeAccess(ctx, func(e provisioner.Event) {
		e.Step, e.Phase = stepAccess, Bootstrap
		report(e)
	})
}

func (i *Installation) setAccess(open bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.accessOpen = open
}

func (i *Installation) pollBootstrapHost(ctx context.Context, report provisioner.Report) {
	address := i.findBootstrapAddress()
	i.mu.Lock()
	open := i.accessOpen
	i.mu.Unlock()
	if !open || !address.IsValid() {
		return
	}
	seen, err := i.clients.Bootstrap.Collect(ctx, address)
	// A machine that does not answer yet is not reported; one that refuses access is.
	if err != nil && !fault.Is(err, fault.Transient) && i.states.Update("inside", err.Error()) {
		report.EmitProgress(err.Error())
	}
	if !seen.At.IsZero() {
		i.emitBootstrapHost(report, seen)
	}
}

// BootstrapHost returns everything read from the bootstrap machine, which is never modified; nil if it was not
// accessible.
func (i *Installation) BootstrapHost() *state.BootstrapHost {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.bootstrapHost
}

func (i *Installation) emitBootstrapHost(report provisioner.Report, seen state.BootstrapHost) {
	i.mu.Lock()
	if i.bootstrapHost == nil {
		i.bootstrapHost = &state.BootstrapHost{}
	}
	before := i.bootstrapHost.Services
	known := state.BootstrapHost{At: seen.At, Services: before, Lines: slices.Concat(i.bootstrapHost.Lines, seen.Lines)}
	if len(seen.Services) > 0 {
		known.Services = slices.Clone(seen.Services)
	}
	known.Lines = known.Lines[max(0, len(known.Lines)-journalKept):]
	i.bootstrapHost = &known // never modified: others read it
	i.mu.Unlock()
	slices.SortStableFunc(seen.Services, func(a, b state.ServiceRecord) int { return a.Since.Compare(b.Since) })
	for _, service := range seen.Services {
		emitService(report, findRecord(before, service.Service), service)
	}
	for _, line := range seen.Lines[max(0, len(seen.Lines)-journalReported):] {
		report(provisioner.Event{Type: provisioner.TypeJournal, Name: line.Unit, Text: line.Text})
	}
}

func findRecord(records []state.ServiceRecord, service string) state.ServiceRecord {
	for _, record := range records {
		if record.Service == service {
			return record
		}
	}
	return state.ServiceRecord{}
}

func emitService(report provisioner.Report, before, now state.ServiceRecord) {
	tell := func(what, stage, reason string) {
		report(provisioner.Event{Type: provisioner.TypeStage, Name: now.Service, State: what, Text: stage, Reason: reason})
	}
	if now.Starts > before.Starts {
		tell(provisioner.Started, "", "")
	}
	for _, stage := range now.Finished {
		if !slices.Contains(before.Finished, stage) {
			tell(provisioner.Done, stage, "")
		}
	}
	if now.Failure != "" && now.Failure != before.Failure {
		tell(provisioner.Failed, now.Stage, strings.TrimPrefix(now.Failure, now.Stage+": "))
	}
	if now.Stage != "" && now.Stage != before.Stage {
		tell(provisioner.Started, now.Stage, "")
	}
	if now.Done && !before.Done {
		tell(provisioner.Done, "", "")
	}
}

// Only the cluster's machines can reach the machine config server; it is started by the stage mco-bootstrap.
func isServingConfigs(told *state.BootstrapHost) bool {
	return told != nil && slices.Contains(findRecord(told.Services, "bootkube").Finished, "mco-bootstrap")
}
