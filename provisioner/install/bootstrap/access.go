package bootstrap

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/stable"
	"exoshift/provisioner"
	"exoshift/provisioner/install/machines"
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
	temporary = "with --bootstrap-access only"
	// kindRule is part of a security group.
	kindRule = "security-group-rule"
	// pollInterval is the time between two questions for our own address.
	pollInterval = 5 * time.Second
)

const (
	journalReported = 20
	journalKept     = 300
)

// Host reads the state of the bootstrap machine, by SSH and by its journal's gateway.
type Host interface {
	// DiscoverAddress returns the source address of this workstation as the load balancer at that address sees it:
	// fault.NotFound if it does not report one, fault.Transient if it does not answer (yet).
	DiscoverAddress(ctx context.Context, balancer string) (netip.Addr, error)
	// Collect returns the records of the services, and the journal's lines since the last call. It does not block: it
	// starts a collection from time to time, and returns its result once it has ended, nothing until then. Partial
	// results are returned beside an error.
	Collect(ctx context.Context, bootstrap netip.Addr) (state.BootstrapHost, error)
}

// Access opens the bootstrap machine for this workstation, and reads its state.
type Access struct {
	spec     state.Spec
	facts    *state.FactsStore
	cloud    Cloud
	host     Host // nil: no access
	clock    provisioner.Clock
	machines *machines.Machines
	preview  bool
	states   provisioner.LastStates // of errors

	mu   sync.Mutex           // guards the fields below
	open bool                 // there may be temporary rules
	seen *state.BootstrapHost // everything read; nil until then
}

// NewAccess returns the access to a cluster's bootstrap machine, which is among machines. Without a host, and in a preview,
// nothing is opened.
func NewAccess(spec state.Spec, facts *state.FactsStore, cloud Cloud, host Host, clock provisioner.Clock, machines *machines.Machines, preview bool) *Access {
	return &Access{spec: spec, facts: facts, cloud: cloud, host: host, clock: clock, machines: machines, preview: preview}
}

// Open opens the bootstrap machine for the public address of this workstation. The installation does not
// depend on it: errors are emitted, and fail nothing.
func (a *Access) Open(ctx context.Context, report provisioner.Report) error {
	switch {
	case a.preview:
		return provisioner.Skip("without --bootstrap-access")
	case a.facts.Get().IsBootstrapped():
		a.close(ctx, report) // of an earlier run
		return provisioner.Skip("the cluster no longer needs it")
	case a.host == nil:
		a.close(ctx, report) // of an earlier run
		return provisioner.Skip("without --bootstrap-access")
	case a.spec.IsRoundRobin():
		return provisioner.Skip("there is no load balancer to detect this machine's address")
	}
	own, err := a.discoverAddress(ctx)
	if err == nil {
		err = a.allow(ctx, report, own)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		a.close(ctx, report) // of an earlier run, and a partial one of this run
		return provisioner.Skip("no access to the bootstrap machine: " + err.Error())
	}
	return nil
}

func (a *Access) discoverAddress(ctx context.Context) (netip.Addr, error) {
	began := a.clock.Now()
	for {
		var failure error
		for _, machine := range a.spec.Machines(state.RoleLoadBalancer) {
			instance, _ := a.machines.Find(machine.Name)
			own, err := a.host.DiscoverAddress(ctx, instance.Address)
			if err == nil || fault.Is(err, fault.NotFound) {
				return own, err
			}
			failure = err
		}
		if a.clock.Now().Sub(began) >= limitAddress {
			return netip.Addr{}, failure
		}
		if err := a.clock.Sleep(ctx, pollInterval); err != nil {
			return netip.Addr{}, err
		}
	}
}

func (a *Access) allow(ctx context.Context, report provisioner.Report, own netip.Addr) error {
	if a.facts.Get().IsBootstrapped() { // meanwhile
		return nil
	}
	group := a.buildGroup(own)
	a.setOpen(true) // a partial change has to be undone, too
	outdated := func(rule state.Rule) bool { return isTemporary(rule) && rule.CIDR != group.Rules[0].CIDR }
	if err := a.deleteRules(ctx, report, outdated); err != nil {
		return err
	}
	_, action, err := a.cloud.EnsureSecurityGroup(ctx, group)
	if err != nil {
		return err
	}
	report.EmitProgress("open to " + own.String())
	report.EmitObject(kindRule, group.Name+": temporary access", "", string(action))
	return nil
}

// The machine config server stays closed: it serves what a node joins with to every client, and this address is not ours
// alone. Many workstations may share it, and any machine between us and the load balancer can forge it.
func (a *Access) buildGroup(own netip.Addr) state.SecurityGroup {
	group := network.NewBootstrapGroup(a.spec)
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

func (a *Access) deleteRules(ctx context.Context, report provisioner.Report, useless func(state.Rule) bool) error {
	group := network.NewBootstrapGroup(a.spec).Name
	action, err := a.cloud.DeleteRules(ctx, group, useless)
	if action == state.Deleted {
		report.EmitObject(kindRule, group+": temporary access", "", string(action))
	}
	return err
}

// An error is emitted, and fails nothing: the rules are marked by their descriptions, are deleted by the next run, and
// lead to a machine that will be deleted.
func (a *Access) close(ctx context.Context, report provisioner.Report) {
	if err := a.deleteRules(ctx, report, isTemporary); err != nil {
		report.EmitProgress("temporary access to the bootstrap machine could not be removed: " + err.Error())
		return
	}
	a.setOpen(false)
}

// Close deletes the rules that were created for this run only, also after the run was stopped.
func (a *Access) Close(ctx context.Context, report provisioner.Report) {
	a.mu.Lock()
	open := a.open
	a.mu.Unlock()
	if !open {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limitClosing)
	defer cancel()
	a.close(ctx, report)
}

// IsOpen reports whether the bootstrap machine may be open to this one.
func (a *Access) IsOpen() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.open
}

func (a *Access) setOpen(open bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open = open
}

// Poll reads what is new on the bootstrap machine, and emits it.
func (a *Access) Poll(ctx context.Context, report provisioner.Report) {
	address := a.Address()
	a.mu.Lock()
	open := a.open
	a.mu.Unlock()
	if !open || !address.IsValid() {
		return
	}
	seen, err := a.host.Collect(ctx, address)
	// A machine that does not answer yet is not reported; one that refuses access is.
	if err != nil && !fault.Is(err, fault.Transient) && a.states.Update("inside", err.Error()) {
		report.EmitProgress(err.Error())
	}
	if !seen.At.IsZero() {
		a.emitHost(report, seen)
	}
}

// Host returns everything read from the bootstrap machine, which is never modified; nil if it was not
// accessible.
func (a *Access) Host() *state.BootstrapHost {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.seen
}

func (a *Access) emitHost(report provisioner.Report, seen state.BootstrapHost) {
	a.mu.Lock()
	if a.seen == nil {
		a.seen = &state.BootstrapHost{}
	}
	before := a.seen.Services
	known := state.BootstrapHost{At: seen.At, Services: before, Lines: slices.Concat(a.seen.Lines, seen.Lines)}
	if len(seen.Services) > 0 {
		known.Services = slices.Clone(seen.Services)
	}
	known.Lines = known.Lines[max(0, len(known.Lines)-journalKept):]
	a.seen = &known // never modified: others read it
	a.mu.Unlock()
	stable.Sort(seen.Services, func(a, b state.ServiceRecord) int { return a.Since.Compare(b.Since) })
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
	emit := func(what, stage, reason string) {
		report(provisioner.Event{Type: provisioner.TypeStage, Name: now.Service, State: what, Text: stage, Reason: reason})
	}
	if now.Starts > before.Starts {
		emit(provisioner.Started, "", "")
	}
	for _, stage := range now.Finished {
		if !slices.Contains(before.Finished, stage) {
			emit(provisioner.Done, stage, "")
		}
	}
	if now.Failure != "" && now.Failure != before.Failure {
		emit(provisioner.Failed, now.Stage, strings.TrimPrefix(now.Failure, now.Stage+": "))
	}
	if now.Stage != "" && now.Stage != before.Stage {
		emit(provisioner.Started, now.Stage, "")
	}
	if now.Done && !before.Done {
		emit(provisioner.Done, "", "")
	}
}

// IsServingConfigs reports whether the bootstrap machine serves the configurations of nodes. Only the cluster's
// machines can reach the machine config server; it is started by the stage mco-bootstrap.
func (a *Access) IsServingConfigs() bool { return isServingConfigs(a.Host()) }

func isServingConfigs(host *state.BootstrapHost) bool {
	return host != nil && slices.Contains(findRecord(host.Services, "bootkube").Finished, "mco-bootstrap")
}

// Address returns the address of the bootstrap machine, the zero address once the bootstrap machine does not matter any
// more.
func (a *Access) Address() netip.Addr {
	if a.facts.Get().IsBootstrapped() {
		return netip.Addr{}
	}
	machine, _ := a.machines.Find(a.spec.Machines(state.RoleBootstrap)[0].Name)
	address, err := netip.ParseAddr(machine.Address)
	if err != nil {
		return netip.Addr{} // not known yet
	}
	return address
}
