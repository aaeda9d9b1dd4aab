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

// signsEvery is how often the cloud and the name servers are asked for signs of what goes wrong.
const signsEvery = time.Minute

// signs are what is known of an installation beyond the look at its cluster. Only the one who looks uses them.
type signs struct {
	examiner *diagnosis.Examiner
	asked    time.Time // when the cloud and the name servers were asked
	machines []state.Instance
	closed   []string
	names    []diagnosis.Name
	booted   string            // build of the template that machines boot from
	last     state.Observation // the newest that the API answered
}

// diagnose tells what is wrong by all that is known, and what no longer is.
func (i *Installation) diagnose(ctx context.Context, report provisioner.Report, seen state.Observation, failure error) {
	if now := i.world.Clock.Now(); now.Sub(i.signs.asked) >= signsEvery {
		i.signs.asked = now
		i.gatherSigns(ctx)
	}
	if failure == nil {
		i.signs.last = seen
	}
	before := i.Findings()
	findings, err := i.examine(i.allSigns(seen, failure))
	if err != nil {
		if i.changed("rulebook", err.Error()) {
			report.Progress(err.Error())
		}
		return
	}
	i.mu.Lock()
	i.findings = findings
	i.mu.Unlock()
	for _, finding := range findings {
		i.tellFinding(report, finding)
	}
	for _, finding := range before {
		if !holds(findings, finding.Rule) {
			i.changed("diagnosis/"+finding.Rule, provisioner.Gone)
			report(provisioner.Event{Type: provisioner.TypeDiagnosis, Name: finding.Rule, State: provisioner.Gone, Text: finding.Cause})
		}
	}
}

// examine applies the rulebook. A defect of one of its rules must not cost an installation that may be well.
func (i *Installation) examine(signs diagnosis.Signs) (findings []diagnosis.Finding, err error) {
	defer func() {
		if defect := recover(); defect != nil {
			err = fmt.Errorf("the diagnosis failed, which is a defect of this program: %v", defect)
		}
	}()
	return i.signs.examiner.Examine(signs), nil
}

// Findings returns what was wrong at the last look at the cluster, the surest first.
func (i *Installation) Findings() []diagnosis.Finding {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.findings
}

func holds(findings []diagnosis.Finding, rule string) bool {
	for _, finding := range findings {
		if finding.Rule == rule {
			return true
		}
	}
	return false
}

func (i *Installation) tellFinding(report provisioner.Report, f diagnosis.Finding) {
	// Ages in the evidence grow all the time; that alone is no news.
	if !i.changed("diagnosis/"+f.Rule, f.Cause+f.Fix+f.Confidence) {
		return
	}
	report(provisioner.Event{
		Type: provisioner.TypeDiagnosis, Name: f.Rule, State: provisioner.Present, Text: f.Cause, Hint: f.Fix,
		Evidence: f.Evidence, Confidence: f.Confidence, Since: &f.Since,
	})
}

// allSigns puts together what rules look at. When the API does not answer, what it told last still counts.
func (i *Installation) allSigns(seen state.Observation, failure error) diagnosis.Signs {
	if failure != nil {
		probes, bootstrap, at := seen.Probes, seen.Bootstrap, seen.At
		seen = i.signs.last
		seen.Probes, seen.Bootstrap, seen.At = probes, bootstrap, at
	}
	return diagnosis.Signs{
		Now: i.world.Clock.Now(), Wall: time.Now(), Spec: i.spec, Facts: i.Facts(), Folder: i.folder.Path(), Seen: seen, Failure: failure,
		Began: i.began(), Machines: i.signs.machines, Marks: marks(i.signs.machines), Closed: i.signs.closed,
		Names: i.signs.names, Build: i.bootBuild, Booted: cmp.Or(i.signs.booted, i.image.Build), Inside: i.Inside(),
	}
}

func marks(machines []state.Instance) map[string]string {
	given := map[string]string{}
	for _, machine := range machines {
		given[machine.Name] = machine.Labels[state.LabelRootCA]
	}
	return given
}

// gatherSigns asks the cloud and the name servers. What cannot be had stays as it was.
func (i *Installation) gatherSigns(ctx context.Context) {
	if machines, err := i.world.Cloud.Instances(ctx, i.labels()); err == nil {
		i.signs.machines = machines
		i.noteStates(machines)
	}
	if closed, err := i.closedPorts(ctx); err == nil {
		i.signs.closed = closed
	}
	if names := i.lookUpNames(ctx); ctx.Err() == nil {
		i.signs.names = names
	}
	i.checkBooted(ctx)
}

// checkBooted looks at the template again: somebody may have put another in its place before the machines booted.
func (i *Installation) checkBooted(ctx context.Context) {
	if i.image.Name == "" || i.bootstrapped() {
		return
	}
	if found, err := i.world.Cloud.FindTemplate(ctx, i.image.Name); err == nil {
		i.signs.booted = found.Build
	}
}

// noteStates keeps what the cloud says about the machines that this installation started.
func (i *Installation) noteStates(machines []state.Instance) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, machine := range machines {
		if known, started := i.nodes[machine.Name]; started {
			known.State = machine.State
			i.nodes[machine.Name] = known
		}
	}
}

// lookUpNames asks a name server of the zone for the cluster's own names.
func (i *Installation) lookUpNames(ctx context.Context) []diagnosis.Name {
	if len(i.zone.NameServers) == 0 {
		return nil
	}
	domain := i.spec.Domain()
	names := []diagnosis.Name{
		{Name: "api." + domain, Wanted: i.apiAddresses()},
		{Name: "api-int." + domain, Wanted: i.apiAddresses()},
	}
	if apps := i.spec.AppsDomain(); strings.HasSuffix(apps, "."+domain) {
		names = append(names, diagnosis.Name{Name: "console-openshift-console." + apps, Wanted: i.ingressAddresses()})
	}
	for n := range names {
		found, err := i.world.Names.Addresses(ctx, i.zone.NameServers[0], names[n].Name)
		if names[n].Found = found; err != nil {
			names[n].Error, names[n].Missing = err.Error(), fault.KindOf(err) == fault.NotFound
		}
	}
	return names
}

// apiAddresses are those that the API's names may lead to.
func (i *Installation) apiAddresses() []netip.Addr {
	if !i.spec.RoundRobin() {
		return addressesOf(i.api.Address)
	}
	return i.addressesOfRoles(state.RoleBootstrap, state.RoleMaster)
}

func (i *Installation) ingressAddresses() []netip.Addr {
	if !i.spec.RoundRobin() {
		return addressesOf(i.ingress.Address)
	}
	return i.addressesOfRoles(i.routerRole())
}

func (i *Installation) addressesOfRoles(roles ...state.Role) []netip.Addr {
	var texts []string
	for _, role := range roles {
		for _, machine := range i.spec.Machines(role) {
			instance, _ := i.instanceOf(machine.Name)
			texts = append(texts, instance.Address)
		}
	}
	return addressesOf(texts...)
}

func addressesOf(texts ...string) []netip.Addr {
	var addresses []netip.Addr
	for _, text := range texts {
		if address, err := netip.ParseAddr(text); err == nil {
			addresses = append(addresses, address)
		}
	}
	return addresses
}
