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
	journalTold = 20
	journalKept = 300
)

// bootstrapAccess opens the bootstrap machine for the address that we are seen by, so that somebody can look inside. The
// installation does not depend on it: whatever goes wrong here is told, and fails nothing.
func (i *Installation) bootstrapAccess(ctx context.Context, report provisioner.Report) error {
	switch {
	case i.preview:
		return provisioner.Skip("nobody looks inside")
	case i.bootstrapped():
		i.closeAccess(ctx, report) // of an earlier run
		return provisioner.Skip("the cluster no longer needs it")
	case i.world.Bootstrap == nil:
		i.closeAccess(ctx, report) // of an earlier run
		return provisioner.Skip("nobody looks inside")
	case i.spec.RoundRobin():
		return provisioner.Skip("there is no load balancer to tell our own address")
	}
	own, err := i.ownAddress(ctx)
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

// ownAddress asks one load balancer after the other until one of them is up.
func (i *Installation) ownAddress(ctx context.Context) (netip.Addr, error) {
	began := i.world.Clock.Now()
	for {
		var failure error
		for _, machine := range i.spec.Machines(state.RoleLoadBalancer) {
			instance, _ := i.instanceOf(machine.Name)
			own, err := i.world.Bootstrap.OwnAddress(ctx, instance.Address)
			if err == nil || fault.Is(err, fault.NotFound) {
				return own, err
			}
			failure = err
		}
		if i.world.Clock.Now().Sub(began) >= limitAddress {
			return netip.Addr{}, failure
		}
		if err := i.world.Clock.Sleep(ctx, lookEvery); err != nil {
			return netip.Addr{}, err
		}
	}
}

// openAccess takes away what an earlier run from another address opened, and lets this address in.
func (i *Installation) openAccess(ctx context.Context, report provisioner.Report, own netip.Addr) error {
	if i.bootstrapped() { // meanwhile
		return nil
	}
	group := i.accessGroup(own)
	i.setAccess(true) // even half of it has to be closed
	outdated := func(rule state.Rule) bool { return isTemporary(rule) && rule.CIDR != group.Rules[0].CIDR }
	if err := i.deleteRules(ctx, report, outdated); err != nil {
		return err
	}
	_, action, err := i.world.Cloud.EnsureSecurityGroup(ctx, group)
	if err != nil {
		return err
	}
	report.Progress("open to " + own.String())
	report.Object(kindRule, group.Name+": temporary access", "", string(action))
	return nil
}

// accessGroup is the bootstrap machine's own security group with the rules that let one address in. The machine config
// server stays closed: it hands everybody who reaches it what a node joins by, and this address is not ours alone. Many
// share one, and who is between us and the load balancer can name any.
func (i *Installation) accessGroup(own netip.Addr) state.SecurityGroup {
	group := i.bootstrapGroup()
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
	group := i.name(groupBootstrap)
	action, err := i.world.Cloud.DeleteRules(ctx, group, useless)
	if action == state.Deleted {
		report.Object(kindRule, group+": temporary access", "", string(action))
	}
	return err
}

// closeAccess takes away the rules that let somebody look inside. A failure is told, and fails nothing: the rules say in
// their descriptions what they are, go with the next run, and lead to a machine that is about to go.
func (i *Installation) closeAccess(ctx context.Context, report provisioner.Report) {
	if err := i.deleteRules(ctx, report, isTemporary); err != nil {
		report.Progress("temporary access to the bootstrap machine could not be taken away: " + err.Error())
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

// lookInside tells what the bootstrap machine tells about itself, as long as there is one that lets us in.
func (i *Installation) lookInside(ctx context.Context, report provisioner.Report) {
	address := i.bootstrapAddress()
	i.mu.Lock()
	open := i.accessOpen
	i.mu.Unlock()
	if !open || !address.IsValid() {
		return
	}
	seen, err := i.world.Bootstrap.LookInside(ctx, address)
	// Those who cannot be reached yet are no news; those who refuse us are.
	if err != nil && !fault.Is(err, fault.Transient) && i.changed("inside", err.Error()) {
		report.Progress(err.Error())
	}
	if !seen.At.IsZero() {
		i.tellInside(report, seen)
	}
}

// Inside returns all that the bootstrap machine has told about itself, which nobody changes any more; nil if nobody could
// look.
func (i *Installation) Inside() *state.Inside {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.inside
}

// tellInside reports what is new, and keeps all that was seen.
func (i *Installation) tellInside(report provisioner.Report, seen state.Inside) {
	i.mu.Lock()
	if i.inside == nil {
		i.inside = &state.Inside{}
	}
	before := i.inside.Services
	known := state.Inside{At: seen.At, Services: before, Lines: slices.Concat(i.inside.Lines, seen.Lines)}
	if len(seen.Services) > 0 {
		known.Services = slices.Clone(seen.Services)
	}
	known.Lines = known.Lines[max(0, len(known.Lines)-journalKept):]
	i.inside = &known // never changed again: others read it
	i.mu.Unlock()
	slices.SortStableFunc(seen.Services, func(a, b state.ServiceRecord) int { return a.Since.Compare(b.Since) })
	for _, service := range seen.Services {
		tellService(report, recordOf(before, service.Service), service)
	}
	for _, line := range seen.Lines[max(0, len(seen.Lines)-journalTold):] {
		report(provisioner.Event{Type: provisioner.TypeJournal, Name: line.Unit, Text: line.Text})
	}
}

func recordOf(records []state.ServiceRecord, service string) state.ServiceRecord {
	for _, record := range records {
		if record.Service == service {
			return record
		}
	}
	return state.ServiceRecord{}
}

// tellService reports what a service has done since the last look.
func tellService(report provisioner.Report, before, now state.ServiceRecord) {
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

// servesConfigurations tells whether the bootstrap machine has started its machine config server, which nobody but the
// cluster's machines can ask: it is the work of the stage mco-bootstrap.
func servesConfigurations(told *state.Inside) bool {
	return told != nil && slices.Contains(recordOf(told.Services, "bootkube").Finished, "mco-bootstrap")
}
