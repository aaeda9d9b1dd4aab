package install

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

const (
	// limitAddress is how long the load balancers have to come up and tell our own address.
	limitAddress = 5 * time.Minute
	// limitClosing ends the removal of the rules at the end of a run, on the wall clock: whoever stopped the run waits.
	limitClosing = time.Minute
	// temporary ends the description of rules that are for somebody who looks inside, and of no others.
	temporary = "while somebody looks inside"
	// kindRule is part of a security group.
	kindRule = "security-group-rule"
	// stepAccess is the step that opens what the end of the run closes.
	stepAccess = "bootstrap-access"
)

// Bounds of what is told and kept of the bootstrap machine's journal, in lines.
const (
	journalReported = 20
	journalKept     = 300
)

// openBootstrapAccess opens the bootstrap machine for the address that we are seen by, so that somebody can look inside. The
// installation does not depend on it: whatever goes wrong here is told, and fails nothing.
func (i *Installation) openBootstrapAccess(ctx context.Context, report provisioner.Report) error {
	switch {
	case i.preview:
		return provisioner.Skip("nobody looks inside")
	case i.isBootstrapped():
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
		i.closeAccess(ctx, report) // of an earlier run, and half of this one's
		return provisioner.Skip("the bootstrap machine is not looked into: " + err.Error())
	}
	return nil
}

// discoverAddress asks one load balancer after the other until one of them is up.
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

// openAccess takes away what an earlier run from another address opened, and lets this address in.
func (i *Installation) openAccess(ctx context.Context, report provisioner.Report, own netip.Addr) error {
	if i.isBootstrapped() { // meanwhile
		return nil
	}
	group := i.buildAccessGroup(own)
	i.setAccess(true) // even half of it has to be closed
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

// buildAccessGroup is the bootstrap machine's own security group with the rules that let one address in. The machine config
// server stays closed: it hands everybody who reaches it what a node joins by, and this address is not ours alone. Many
// share one, and who is between us and the load balancer can name any.
func (i *Installation) buildAccessGroup(own netip.Addr) state.SecurityGroup {
	group := i.buildBootstrapGroup()
	from := netip.PrefixFrom(own, own.BitLen()).String()
	for _, open := range []struct {
		port int
		what string
	}{{22, "SSH"}, {portAPI, "Kubernetes API"}, {portJournal, "journal"}} {
		group.Rules = append(group.Rules, state.Rule{
			Protocol: "tcp", From: open.port, To: open.port, CIDR: from, Description: open.what + " " + temporary,
		})
	}
	return group
}

func isTemporary(rule state.Rule) bool { return strings.HasSuffix(rule.Description, temporary) }

func (i *Installation) deleteRules(ctx context.Context, report provisioner.Report, useless func(state.Rule) bool) error {
	group := i.formatName(groupBootstrap)
	action, err := i.clients.Cloud.DeleteRules(ctx, group, useless)
	if action == state.Deleted {
		report.EmitObject(kindRule, group+": temporary access", "", string(action))
	}
	return err
}

// closeAccess takes away the rules that let somebody look inside. A failure is told, and fails nothing: the rules say in
// their descriptions what they are, go with the next run, and lead to a machine that is about to go.
func (i *Installation) closeAccess(ctx context.Context, report provisioner.Report) {
	if err := i.deleteRules(ctx, report, isTemporary); err != nil {
		report.EmitProgress("temporary access to the bootstrap machine could not be taken away: " + err.Error())
		return
	}
	i.setAccess(false)
}

// Close takes away what was opened for the time of this run alone, also after the run was stopped.
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

// pollBootstrapHost tells what the bootstrap machine tells about itself, as long as there is one that lets us in.
func (i *Installation) pollBootstrapHost(ctx context.Context, report provisioner.Report) {
	address := i.findBootstrapAddress()
	i.mu.Lock()
	open := i.accessOpen
	i.mu.Unlock()
	if !open || !address.IsValid() {
		return
	}
	seen, err := i.clients.Bootstrap.Collect(ctx, address)
	// Those who cannot be reached yet are no news; those who refuse us are.
	if err != nil && !fault.Is(err, fault.Transient) && i.markSeen("inside", err.Error()) {
		report.EmitProgress(err.Error())
	}
	if !seen.At.IsZero() {
		i.emitBootstrapHost(report, seen)
	}
}

// BootstrapHost returns all that the bootstrap machine has told about itself, which nobody changes any more; nil if nobody could
// look.
func (i *Installation) BootstrapHost() *state.BootstrapHost {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.bootstrapHost
}

// emitBootstrapHost reports what is new, and keeps all that was seen.
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
	i.bootstrapHost = &known // never changed again: others read it
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

// emitService reports what a service has done since the last look.
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

// isServingConfigs tells whether the bootstrap machine has started its machine config server, which nobody but the
// cluster's machines can ask: it is the work of the stage mco-bootstrap.
func isServingConfigs(told *state.BootstrapHost) bool {
	return told != nil && slices.Contains(findRecord(told.Services, "bootkube").Finished, "mco-bootstrap")
}
