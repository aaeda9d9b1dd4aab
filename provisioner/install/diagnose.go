package install

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/diagnosis"
	"exoshift/state"
)

const refreshInterval = time.Minute

// diagnostics is the input of a diagnosis beyond the snapshot of the cluster. Only the poller uses it.
type diagnostics struct {
	evaluator *diagnosis.Evaluator
	refreshed time.Time // time of the last requests to the cloud and the name servers
	machines  []state.Instance
	closed    []string
	names     []diagnosis.Name
	booted    string         // build of the template that machines boot from
	last      state.Snapshot // the newest one that the API answered
}

func (i *Installation) diagnose(ctx context.Context, report provisioner.Report, seen state.Snapshot, failure error) {
	if now := i.clients.Clock.Now(); now.Sub(i.diagnostics.refreshed) >= refreshInterval {
		i.diagnostics.refreshed = now
		i.refreshDiagnostics(ctx)
	}
	if failure == nil {
		i.diagnostics.last = seen
	}
	before := i.Findings()
	findings, err := i.applyRules(i.buildInput(seen, failure))
	if err != nil {
		if i.states.Update("rulebook", err.Error()) {
			report.EmitProgress(err.Error())
		}
		return
	}
	i.mu.Lock()
	i.findings = findings
	i.mu.Unlock()
	for _, finding := range findings {
		i.emitFinding(report, finding)
	}
	for _, finding := range before {
		if !hasFinding(findings, finding.Rule) {
			i.states.Update("diagnosis/"+finding.Rule, provisioner.Gone)
			report(provisioner.Event{Type: provisioner.TypeDiagnosis, Name: finding.Rule, State: provisioner.Gone, Text: finding.Cause})
		}
	}
}

// A panic in a rule must not fail an installation.
func (i *Installation) applyRules(signs diagnosis.Input) (findings []diagnosis.Finding, err error) {
	defer func() {
		if defect := recover(); defect != nil {
			err = fmt.Errorf("the diagnosis failed, which is a defect of this program: %v", defect)
		}
	}()
	return i.diagnostics.evaluator.Evaluate(signs), nil
}

// Findings returns the findings of the last poll, by falling confidence.
func (i *Installation) Findings() []diagnosis.Finding {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.findings
}

func hasFinding(findings []diagnosis.Finding, rule string) bool {
	for _, finding := range findings {
		if finding.Rule == rule {
			return true
		}
	}
	return false
}

func (i *Installation) emitFinding(report provisioner.Report, f diagnosis.Finding) {
	// Ages in the evidence change all the time; such changes are not emitted.
	if !i.states.Update("diagnosis/"+f.Rule, f.Cause+f.Fix+f.Confidence) {
		return
	}
	report(provisioner.Event{
		Type: provisioner.TypeDiagnosis, Name: f.Rule, State: provisioner.Present, Text: f.Cause, Hint: f.Fix,
		Evidence: f.Evidence, Confidence: f.Confidence, Since: &f.Since,
	})
}

// When the API does not answer, its last answer counts.
func (i *Installation) buildInput(seen state.Snapshot, failure error) diagnosis.Input {
	if failure != nil {
		probes, bootstrap, at := seen.Probes, seen.Bootstrap, seen.At
		seen = i.diagnostics.last
		seen.Probes, seen.Bootstrap, seen.At = probes, bootstrap, at
	}
	return diagnosis.Input{
		Now: i.clients.Clock.Now(), Wall: time.Now(), Spec: i.spec, Facts: i.Facts(), Folder: i.folder.Path(), Snapshot: seen, APIError: failure,
		PhaseTimes: i.copyPhaseTimes(), Machines: i.diagnostics.machines, RootCALabels: mapRootCALabels(i.diagnostics.machines), MissingRules: i.diagnostics.closed,
		Names: i.diagnostics.names, ReleaseBuild: i.image.Build(), TemplateBuild: cmp.Or(i.diagnostics.booted, i.image.Template().Build), BootstrapHost: i.BootstrapHost(),
	}
}

func mapRootCALabels(machines []state.Instance) map[string]string {
	given := map[string]string{}
	for _, machine := range machines {
		given[machine.Name] = machine.Labels[state.LabelRootCA]
	}
	return given
}

func (i *Installation) refreshDiagnostics(ctx context.Context) {
	if machines, err := i.clients.Cloud.ListInstances(ctx, i.spec.Labels()); err == nil {
		i.diagnostics.machines = machines
		i.recordStates(machines)
	}
	if closed, err := i.securityGroups.ListClosedPorts(ctx); err == nil {
		i.diagnostics.closed = closed
	}
	if names := i.resolveNames(ctx); ctx.Err() == nil {
		i.diagnostics.names = names
	}
	i.checkBooted(ctx)
}

// The template may have been replaced before the machines booted.
func (i *Installation) checkBooted(ctx context.Context) {
	if i.image.Template().Name == "" || i.Facts().IsBootstrapped() {
		return
	}
	if found, err := i.clients.Cloud.FindTemplate(ctx, i.image.Template().Name); err == nil {
		i.diagnostics.booted = found.Build
	}
}

func (i *Installation) recordStates(machines []state.Instance) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, machine := range machines {
		if known, started := i.nodes[machine.Name]; started {
			known.State = machine.State
			i.nodes[machine.Name] = known
		}
	}
}

func (i *Installation) resolveNames(ctx context.Context) []diagnosis.Name {
	if len(i.dns.ListNameServers()) == 0 {
		return nil
	}
	domain := i.spec.Domain()
	names := []diagnosis.Name{
		{Name: "api." + domain, Wanted: i.listAPIAddresses()},
		{Name: "api-int." + domain, Wanted: i.listAPIAddresses()},
	}
	if apps := i.spec.AppsDomain(); strings.HasSuffix(apps, "."+domain) {
		names = append(names, diagnosis.Name{Name: "console-openshift-console." + apps, Wanted: i.listIngressAddresses()})
	}
	for n := range names {
		found, err := i.clients.Names.QueryAddresses(ctx, i.dns.ListNameServers()[0], names[n].Name)
		if names[n].Found = found; err != nil {
			names[n].Error, names[n].Missing = err.Error(), fault.KindOf(err) == fault.NotFound
		}
	}
	return names
}

func (i *Installation) listAPIAddresses() []netip.Addr {
	if !i.spec.IsRoundRobin() {
		return parseAddresses(i.elasticIPs.API().Address)
	}
	return i.listRoleAddresses(state.RoleBootstrap, state.RoleMaster)
}

func (i *Installation) listIngressAddresses() []netip.Addr {
	if !i.spec.IsRoundRobin() {
		return parseAddresses(i.elasticIPs.Ingress().Address)
	}
	return i.listRoleAddresses(i.spec.RouterRole())
}

func (i *Installation) listRoleAddresses(roles ...state.Role) []netip.Addr {
	var texts []string
	for _, role := range roles {
		for _, machine := range i.spec.Machines(role) {
			instance, _ := i.findInstance(machine.Name)
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
