package install

import (
	"context"
	"strings"

	"exoshift/provisioner"
	"exoshift/state"
)

// TTLs in seconds: short where machines are replaced.
const (
	shortTTL = 60
	longTTL  = 600
)

func (i *Installation) ensureDNS(ctx context.Context, report provisioner.Report) error {
	zone, action, err := i.clients.Cloud.EnsureZone(ctx, i.spec.Domain())
	if err != nil {
		return err
	}
	i.zone = zone
	report.EmitObject(state.KindZone, zone.Name, zone.ID, string(action))
	return i.ensureRecords(ctx, report, i.buildFixedRecords())
}

func (i *Installation) ensureRecords(ctx context.Context, report provisioner.Report, records []state.Record) error {
	return provisioner.ForEach(ctx, records, func(ctx context.Context, record state.Record) error {
		return i.ensureRecord(ctx, report, record)
	})
}

// Without load balancers the machines' addresses are those of the API and the ingress.
func (i *Installation) buildFixedRecords() []state.Record {
	domain := i.spec.Domain()
	records := []state.Record{
		{Name: "api-int", Type: "CNAME", Content: "api." + domain, TTL: shortTTL},
	}
	if !i.spec.IsRoundRobin() {
		records = append(records,
			state.Record{Name: "api", Type: "A", Content: i.api.Address, TTL: shortTTL},
			state.Record{Name: "ingress", Type: "A", Content: i.ingress.Address, TTL: shortTTL},
		)
	}
	// Records of another domain are the operator's.
	if apps, ours := strings.CutSuffix(i.spec.AppsDomain(), "."+domain); ours {
		records = append(records, state.Record{Name: "*." + apps, Type: "CNAME", Content: "ingress." + domain, TTL: shortTTL})
	}
	return records
}

func (i *Installation) ensureRecord(ctx context.Context, report provisioner.Report, record state.Record) error {
	action, err := i.clients.Cloud.EnsureRecord(ctx, i.zone.ID, record)
	if err != nil {
		return err
	}
	report.EmitObject(state.KindRecord, record.Name+" "+record.Type+" "+record.Content, "", string(action))
	return nil
}

func (i *Installation) ensureAlias(ctx context.Context, report provisioner.Report, name, to string) error {
	const kind = "CNAME"
	_, err := i.clients.Cloud.DeleteRecords(ctx, i.zone.ID, name, kind, func(content string) bool {
		return strings.TrimSuffix(content, ".") != strings.TrimSuffix(to, ".")
	})
	if err != nil {
		return err
	}
	return i.ensureRecord(ctx, report, state.Record{Name: name, Type: kind, Content: to, TTL: longTTL})
}

func (i *Installation) listMachineNames(machine state.Machine) []string {
	var names []string
	switch machine.Role {
	case state.RoleLoadBalancer:
		return []string{machine.Name}
	case state.RoleBootstrap:
		names = []string{machine.Name}
	case state.RoleMaster:
		names = []string{formatEtcdName(machine.Index)}
	case i.spec.RouterRole():
		names = []string{"router"}
	default:
		return nil
	}
	switch {
	case !i.spec.IsRoundRobin():
		return names
	case machine.Role == i.spec.RouterRole():
		return append(names, "ingress")
	}
	return append(names, "api")
}

func (i *Installation) publish(ctx context.Context, report provisioner.Report, machines []state.Machine) error {
	var records []state.Record
	for _, machine := range machines {
		for _, name := range i.listMachineNames(machine) {
			record, err := i.newAddressRecord(name, machine)
			if err != nil {
				return err
			}
			records = append(records, record)
		}
	}
	if err := i.ensureRecords(ctx, report, records); err != nil {
		return err
	}
	return i.removeAddresses(ctx, report, machines)
}
