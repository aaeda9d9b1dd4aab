package network

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"exoshift/provisioner"
	"exoshift/state"
)

// TTLs in seconds: short where machines are replaced.
const (
	ShortTTL = 60
	longTTL  = 600
)

// DNS keeps the cluster's zone: its fixed records, and those of machines.
type DNS struct {
	spec  state.Spec
	cloud Cloud
	ips   *ElasticIPs

	zone state.Zone
}

// NewDNS returns the DNS of a cluster whose API and ingress have these addresses.
func NewDNS(spec state.Spec, cloud Cloud, ips *ElasticIPs) *DNS {
	return &DNS{spec: spec, cloud: cloud, ips: ips}
}

// ListNameServers returns the name servers of the zone, once EnsureZone has returned.
func (d *DNS) ListNameServers() []string { return d.zone.NameServers }

// EnsureZone creates the zone.
func (d *DNS) EnsureZone(ctx context.Context, report provisioner.Report) error {
	zone, action, err := d.cloud.EnsureZone(ctx, d.spec.Domain())
	if err != nil {
		return err
	}
	d.zone = zone
	report.EmitObject(state.KindZone, zone.Name, zone.ID, string(action))
	return nil
}

// EnsureRecords creates the records that do not depend on machines, and the reverse DNS of the elastic IPs.
func (d *DNS) EnsureRecords(ctx context.Context, report provisioner.Report) error {
	return provisioner.ForEach(ctx, []provisioner.StepFunc{d.ensureFixedRecords, d.ips.ensureReverse}, func(ctx context.Context, ensure provisioner.StepFunc) error {
		return ensure(ctx, report)
	})
}

func (d *DNS) ensureFixedRecords(ctx context.Context, report provisioner.Report) error {
	elastic := d.ips.API().Address
	if d.spec.HasInternalElasticIP() {
		if err := d.removeAlias(ctx, report); err != nil {
			return err
		}
	}
	if err := d.ensureRecords(ctx, report, buildFixedRecords(d.spec, elastic, d.ips.Ingress().Address)); err != nil {
		return err
	}
	if !d.spec.HasInternalElasticIP() {
		return nil
	}
	return d.removeInternal(ctx, report, "A", func(content string) bool { return content != elastic })
}

// removeAlias deletes the alias that api-int may have from another program: a name with an alias can have nothing else. It is
// called right before the addresses take its place: resolvers that ask in between cache for minutes that there is no such name.
func (d *DNS) removeAlias(ctx context.Context, report provisioner.Report) error {
	return d.removeInternal(ctx, report, "CNAME", func(string) bool { return true })
}

// removeInternal deletes the records of api-int that another answer left. The addresses of the other answer go after those of
// this one are there, so that the name always exists; cached, they lead to the API as well.
func (d *DNS) removeInternal(ctx context.Context, report provisioner.Report, kind string, outdated func(content string) bool) error {
	action, err := d.cloud.DeleteRecords(ctx, d.zone.ID, internalName, kind, outdated)
	if action == state.Deleted {
		report.EmitObject(state.KindRecord, internalName+" "+kind+" of another answer", "", string(action))
	}
	return err
}

func (d *DNS) ensureRecords(ctx context.Context, report provisioner.Report, records []state.Record) error {
	return provisioner.ForEach(ctx, records, func(ctx context.Context, record state.Record) error {
		return d.ensureRecord(ctx, report, record)
	})
}

func (d *DNS) ensureRecord(ctx context.Context, report provisioner.Report, record state.Record) error {
	action, err := d.cloud.EnsureRecord(ctx, d.zone.ID, record)
	if err != nil {
		return err
	}
	report.EmitObject(state.KindRecord, record.Name+" "+record.Type+" "+record.Content, "", string(action))
	return nil
}

// Restore creates those fixed records again whose names, in full, are wanted. With replace, it removes what leads elsewhere.
func (d *DNS) Restore(ctx context.Context, report provisioner.Report, isWanted func(name string) bool, replace bool) error {
	for _, record := range buildFixedRecords(d.spec, d.ips.API().Address, d.ips.Ingress().Address) {
		name := record.Name + "." + d.spec.Domain()
		if !isWanted(name) {
			continue
		}
		if replace && record.Type == "A" {
			if err := d.removeRecords(ctx, report, record.Name, "CNAME", func(string) bool { return true }); err != nil {
				return err
			}
		}
		if err := d.ensureRecord(ctx, report, record); err != nil {
			return err
		}
		if !replace {
			continue
		}
		if err := d.removeRecords(ctx, report, record.Name, record.Type, func(content string) bool { return !isSameHost(content, record.Content) }); err != nil {
			return err
		}
	}
	return nil
}

func isSameHost(a, b string) bool { return strings.TrimSuffix(a, ".") == strings.TrimSuffix(b, ".") }

func (d *DNS) removeRecords(ctx context.Context, report provisioner.Report, name, kind string, useless func(content string) bool) error {
	action, err := d.cloud.DeleteRecords(ctx, d.zone.ID, name, kind, useless)
	if err == nil && action == state.Deleted {
		report.EmitObject(state.KindRecord, name+" "+kind+" with another target", "", string(action))
	}
	return err
}

// internalName is the name by which the cluster's own machines reach the API.
const internalName = "api-int"

// Without load balancers the machines' addresses are those of the API and the ingress.
func buildFixedRecords(spec state.Spec, api, ingress string) []state.Record {
	domain := spec.Domain()
	var records []state.Record
	switch {
	case spec.IsRoundRobin():
		records = append(records, state.Record{Name: internalName, Type: "CNAME", Content: "api." + domain, TTL: ShortTTL})
	case spec.HasInternalElasticIP():
		// An alias would have to be deleted before addresses could take its place.
		records = append(records, state.Record{Name: internalName, Type: "A", Content: api, TTL: ShortTTL})
	}
	if !spec.IsRoundRobin() {
		records = append(records,
			state.Record{Name: "api", Type: "A", Content: api, TTL: ShortTTL},
			state.Record{Name: "ingress", Type: "A", Content: ingress, TTL: ShortTTL},
		)
	}
	// Records of another domain are the operator's.
	if apps, ours := strings.CutSuffix(spec.AppsDomain(), "."+domain); ours {
		records = append(records, state.Record{Name: "*." + apps, Type: "CNAME", Content: "ingress." + domain, TTL: ShortTTL})
	}
	return records
}

// ListRecordNames returns the names and types of the records of a cluster with these machines, e.g. "api A", relative to
// its zone.
func ListRecordNames(spec state.Spec, machines []state.Machine) []string {
	names := []string{internalName + " A", internalName + " CNAME"} // whatever loadBalancer.internal was before
	for _, record := range buildFixedRecords(spec, "", "") {
		names = append(names, record.Name+" "+record.Type)
	}
	for _, machine := range machines {
		for _, name := range listMachineNames(spec, machine) {
			names = append(names, name+" A")
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// EnsureAlias makes a name a CNAME of to, and removes its other CNAME records.
func (d *DNS) EnsureAlias(ctx context.Context, report provisioner.Report, name, to string) error {
	const kind = "CNAME"
	_, err := d.cloud.DeleteRecords(ctx, d.zone.ID, name, kind, func(content string) bool {
		return strings.TrimSuffix(content, ".") != strings.TrimSuffix(to, ".")
	})
	if err != nil {
		return err
	}
	return d.ensureRecord(ctx, report, state.Record{Name: name, Type: kind, Content: to, TTL: longTTL})
}

// listMachineNames returns the names of the zone that have the address of a machine.
func listMachineNames(spec state.Spec, machine state.Machine) []string {
	var names []string
	switch machine.Role {
	case state.RoleLoadBalancer:
		if spec.HasInternalAddresses() {
			return []string{machine.Name, internalName}
		}
		return []string{machine.Name}
	case state.RoleBootstrap:
		names = []string{machine.Name}
	case state.RoleMaster:
		names = []string{fmt.Sprintf("etcd-%d", machine.Index)}
	case spec.RouterRole():
		names = []string{"router"}
	default:
		return nil
	}
	switch {
	case !spec.IsRoundRobin():
		return names
	case machine.Role == spec.RouterRole():
		return append(names, "ingress")
	}
	return append(names, "api")
}

// Publish creates the records of machines whose addresses getAddress returns, and removes those of machines that are gone.
func (d *DNS) Publish(ctx context.Context, report provisioner.Report, machines []state.Machine, getAddress func(state.Machine) (string, error)) error {
	var records []state.Record
	internal := false
	for _, machine := range machines {
		for _, name := range listMachineNames(d.spec, machine) {
			address, err := getAddress(machine)
			if err != nil {
				return err
			}
			ttl := ShortTTL
			if machine.Role == state.RoleLoadBalancer && name != internalName {
				ttl = longTTL
			}
			records = append(records, state.Record{Name: name, Type: "A", Content: address, TTL: ttl})
			internal = internal || name == internalName
		}
	}
	if internal {
		if err := d.removeAlias(ctx, report); err != nil {
			return err
		}
	}
	if err := d.ensureRecords(ctx, report, records); err != nil {
		return err
	}
	return d.removeOutdated(ctx, report, machines)
}

// A machine that was deleted and recreated has another address, so records with the old one are removed; so is the elastic IP
// of api-int after another answer.
func (d *DNS) removeOutdated(ctx context.Context, report provisioner.Report, machines []state.Machine) error {
	live, err := d.cloud.ListInstances(ctx, d.spec.Labels())
	if err != nil {
		return err
	}
	useless := func(address string) bool {
		return !slices.ContainsFunc(live, func(machine state.Instance) bool { return machine.Address == address })
	}
	var names []string
	for _, machine := range machines {
		names = append(names, listMachineNames(d.spec, machine)...)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		action, err := d.cloud.DeleteRecords(ctx, d.zone.ID, name, "A", useless)
		if err != nil {
			return err
		}
		if action == state.Deleted {
			report.EmitObject(state.KindRecord, name+" A that is outdated", "", string(action))
		}
	}
	return nil
}

// Withdraw deletes the records of a machine with that address.
func (d *DNS) Withdraw(ctx context.Context, report provisioner.Report, machine state.Machine, address string) error {
	for _, name := range listMachineNames(d.spec, machine) {
		action, err := d.cloud.DeleteRecords(ctx, d.zone.ID, name, "A", func(content string) bool { return content == address })
		if err != nil {
			return err
		}
		report.EmitObject(state.KindRecord, name+" A "+address, "", string(action))
	}
	return nil
}
