package watch

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/diagnosis"
	"exoshift/state"
)

const refreshInterval = time.Minute

// Cloud is the part of Exoscale's API that a diagnosis reads.
type Cloud interface {
	// ListInstances returns the machines that have all the labels.
	ListInstances(ctx context.Context, labels map[string]string) ([]state.Instance, error)
	// FindTemplate returns our own template of that name.
	FindTemplate(ctx context.Context, name string) (state.Template, error)
}

// Resolver queries name servers directly, without caches.
type Resolver interface {
	// QueryAddresses returns the addresses of a name by one name server.
	QueryAddresses(ctx context.Context, server, name string) ([]netip.Addr, error)
}

// diagnoser finds out what is wrong, from the snapshot of a poll and from what it reads beside it.
type diagnoser struct {
	Deps
	evaluator *diagnosis.Evaluator
	states    provisioner.LastStates // of findings

	refreshed time.Time // time of the last requests to the cloud and the name servers
	instances []state.Instance
	closed    []string
	detached  []string
	names     []diagnosis.Name
	booted    string         // build of the template that machines boot from
	last      state.Snapshot // the newest one that the API answered

	mu       sync.Mutex // guards findings
	findings []diagnosis.Finding
}

func (d *diagnoser) diagnose(ctx context.Context, report provisioner.Report, seen state.Snapshot, failure error) {
	if now := d.Clock.Now(); now.Sub(d.refreshed) >= refreshInterval {
		d.refreshed = now
		d.refreshDiagnostics(ctx)
	}
	if failure == nil {
		d.last = seen
	}
	before := d.getFindings()
	findings, err := d.applyRules(d.buildInput(seen, failure))
	if err != nil {
		if d.states.Update("rulebook", err.Error()) {
			report.EmitProgress(err.Error())
		}
		return
	}
	d.mu.Lock()
	d.findings = findings
	d.mu.Unlock()
	for _, finding := range findings {
		d.emitFinding(report, finding)
	}
	for _, finding := range before {
		if !hasFinding(findings, finding.Rule) {
			d.states.Update("diagnosis/"+finding.Rule, provisioner.Gone)
			report(provisioner.Event{Type: provisioner.TypeDiagnosis, Name: finding.Rule, State: provisioner.Gone, Text: finding.Cause})
		}
	}
}

// A panic in a rule must not fail an installation.
func (d *diagnoser) applyRules(signs diagnosis.Input) (findings []diagnosis.Finding, err error) {
	defer func() {
		if defect := recover(); defect != nil {
			err = fmt.Errorf("the diagnosis failed, which is a defect of this program: %v", defect)
		}
	}()
	return d.evaluator.Evaluate(signs), nil
}

func (d *diagnoser) getFindings() []diagnosis.Finding {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.findings
}

func hasFinding(findings []diagnosis.Finding, rule string) bool {
	for _, finding := range findings {
		if finding.Rule == rule {
			return true
		}
	}
	return false
}

func (d *diagnoser) emitFinding(report provisioner.Report, f diagnosis.Finding) {
	// Ages in the evidence change all the time; such changes are not emitted.
	if !d.states.Update("diagnosis/"+f.Rule, f.Cause+f.Fix+f.Confidence+string(f.Disposition)+string(f.Blocks)) {
		return
	}
	report(provisioner.Event{
		Type: provisioner.TypeDiagnosis, Name: f.Rule, State: provisioner.Present, Text: f.Cause, Hint: f.Fix,
		Evidence: f.Evidence, Confidence: f.Confidence, Since: &f.Since, Disposition: string(f.Disposition), Blocks: string(f.Blocks), Order: f.Order,
	})
}

// When the API does not answer, its last answer counts.
func (d *diagnoser) buildInput(seen state.Snapshot, failure error) diagnosis.Input {
	if failure != nil {
		probes, bootstrap, at := seen.Probes, seen.Bootstrap, seen.At
		seen = d.last
		seen.Probes, seen.Bootstrap, seen.At = probes, bootstrap, at
	}
	return diagnosis.Input{
		Now: d.Clock.Now(), Wall: time.Now(), Spec: d.Spec, Facts: d.Facts.Get(), Folder: d.Folder.Path(), Snapshot: seen, APIError: failure,
		PhaseTimes: d.Phases.Times(), Machines: d.instances, RootCALabels: mapRootCALabels(d.instances), MissingRules: d.closed, Detached: d.detached,
		Names: d.names, ReleaseBuild: d.Image.Build(), TemplateBuild: cmp.Or(d.booted, d.Image.Template().Build), BootstrapHost: d.Access.Host(), Accessible: d.Access.IsOpen(),
	}
}

func mapRootCALabels(machines []state.Instance) map[string]string {
	given := map[string]string{}
	for _, machine := range machines {
		given[machine.Name] = machine.Labels[state.LabelRootCA]
	}
	return given
}

func (d *diagnoser) refreshDiagnostics(ctx context.Context) {
	if machines, err := d.Cloud.ListInstances(ctx, d.Spec.Labels()); err == nil {
		d.instances = machines
		d.Machines.RecordStates(machines)
	}
	if closed, err := d.SecurityGroups.ListClosedPorts(ctx); err == nil {
		d.closed = closed
	}
	if detached, err := d.Machines.ListDetached(ctx); err == nil {
		d.detached = detached
	}
	if names := d.resolveNames(ctx); ctx.Err() == nil {
		d.names = names
	}
	d.checkBooted(ctx)
}

// The template may have been replaced before the machines booted.
func (d *diagnoser) checkBooted(ctx context.Context) {
	if d.Image.Template().Name == "" || d.Facts.Get().IsBootstrapped() {
		return
	}
	found, err := d.Cloud.FindTemplate(ctx, d.Image.Template().Name)
	isBooted := func(machine state.Instance) bool { return machine.TemplateID == found.ID }
	if err == nil && slices.ContainsFunc(d.instances, isBooted) {
		d.booted = found.Build
	}
}

func (d *diagnoser) resolveNames(ctx context.Context) []diagnosis.Name {
	if len(d.DNS.ListNameServers()) == 0 {
		return nil
	}
	domain := d.Spec.Domain()
	names := []diagnosis.Name{
		{Name: "api." + domain, Wanted: d.listAPIAddresses()},
		{Name: "api-int." + domain, Wanted: d.listInternalAddresses()},
	}
	if apps := d.Spec.AppsDomain(); strings.HasSuffix(apps, "."+domain) {
		names = append(names, diagnosis.Name{Name: "console-openshift-console." + apps, Wanted: d.listIngressAddresses()})
	}
	for n := range names {
		found, err := d.Names.QueryAddresses(ctx, d.DNS.ListNameServers()[0], names[n].Name)
		if names[n].Found = found; err != nil {
			names[n].Error, names[n].Missing = err.Error(), fault.KindOf(err) == fault.NotFound
		}
	}
	return names
}

func (d *diagnoser) listAPIAddresses() []netip.Addr {
	if !d.Spec.IsRoundRobin() {
		return parseAddresses(d.ElasticIPs.API().Address)
	}
	return d.listRoleAddresses(state.RoleBootstrap, state.RoleMaster)
}

func (d *diagnoser) listInternalAddresses() []netip.Addr {
	if d.Spec.HasInternalAddresses() {
		return d.listRoleAddresses(state.RoleLoadBalancer)
	}
	return d.listAPIAddresses()
}

func (d *diagnoser) listIngressAddresses() []netip.Addr {
	if !d.Spec.IsRoundRobin() {
		return parseAddresses(d.ElasticIPs.Ingress().Address)
	}
	return d.listRoleAddresses(d.Spec.RouterRole())
}

func (d *diagnoser) listRoleAddresses(roles ...state.Role) []netip.Addr {
	var texts []string
	for _, role := range roles {
		for _, machine := range d.Spec.Machines(role) {
			instance, _ := d.Machines.Find(machine.Name)
			texts = append(texts, instance.Address)
		}
	}
	return parseAddresses(texts...)
}

func parseAddresses(texts ...string) []netip.Addr {
	var addresses []netip.Addr
	for _, text := range texts {
		if address, err := netip.ParseAddr(text); err == nil {
			addresses = append(addresses, address)
		}
	}
	return addresses
}
