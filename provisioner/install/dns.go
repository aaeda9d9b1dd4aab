package install

import (
	"context"
	"strings"

	"exoshift/provisioner"
	"exoshift/state"
)

// Seconds that resolvers may keep a record: short where machines come and go.
const (
	shortTTL = 60
	longTTL  = 600
)

func (i *Installation) dns(ctx context.Context, report provisioner.Report) error {
	zone, action, err := i.world.Cloud.EnsureZone(ctx, i.spec.Domain())
	if err != nil {
		return err
	}
	i.zone = zone
	report.Object(state.KindZone, zone.Name, zone.ID, string(action))
	return i.records(ctx, report, i.fixedRecords())
}

func (i *Installation) records(ctx context.Context, report provisioner.Report, records []state.Record) error {
	return sideBySide(ctx, records, func(ctx context.Context, record state.Record) error {
		return i.record(ctx, report, record)
	})
}

// fixedRecords are those that do not depend on machines. Without load balancers the machines themselves are the API
// and the ingress.
func (i *Installation) fixedRecords() []state.Record {
	domain := i.spec.Domain()
	records := []state.Record{
		{Name: "api-int", Type: "CNAME", Content: "api." + domain, TTL: shortTTL},
	}
	if !i.spec.RoundRobin() {
		records = append(records,
			state.Record{Name: "api", Type: "A", Content: i.api.Address, TTL: shortTTL},
			state.Record{Name: "ingress", Type: "A", Content: i.ingress.Address, TTL: shortTTL},
		)
	}
	// Another domain is its owner's business.
	if apps, ours := strings.CutSuffix(i.spec.AppsDomain(), "."+domain); ours {
		records = append(records, state.Record{Name: "*." + apps, Type: "CNAME", Content: "ingress." + domain, TTL: shortTTL})
	}
	return records
}

func (i *Installation) record(ctx context.Context, report provisioner.Report, record state.Record) error {
	action, err := i.world.Cloud.EnsureRecord(ctx, i.zone.ID, record)
	if err != nil {
		return err
	}
	report.Object(kindRecord, record.Name+" "+record.Type+" "+record.Content, "", string(action))
	return nil
}

// alias makes a name lead to another one, and nowhere else: those of before are taken away.
func (i *Installation) alias(ctx context.Context, report provisioner.Report, name, to string) error {
	const kind = "CNAME"
	_, err := i.world.Cloud.DeleteRecords(ctx, i.zone.ID, name, kind, func(content string) bool {
		return strings.TrimSuffix(content, ".") != strings.TrimSuffix(to, ".")
	})
	if err != nil {
		return err
	}
	return i.record(ctx, report, state.Record{Name: name, Type: kind, Content: to, TTL: longTTL})
}

// namesOf returns the names by which a machine's address is known.
func (i *Installation) namesOf(machine state.Machine) []string {
	var names []string
	switch machine.Role {
	case state.RoleLoadBalancer:
		return []string{machine.Name}
	case state.RoleBootstrap:
		names = []string{machine.Name}
	case state.RoleMaster:
		names = []string{etcdName(machine.Index)}
	case i.routerRole():
		names = []string{"router"}
	default:
		return nil
	}
	switch {
	case !i.spec.RoundRobin():
		return names
	case machine.Role == i.routerRole():
		return append(names, "ingress")
	}
	return append(names, "api")
}

// publish gives the addresses of machines their names.
func (i *Installation) publish(ctx context.Context, report provisioner.Report, machines []state.Machine) error {
	var records []state.Record
	for _, machine := range machines {
		for _, name := range i.namesOf(machine) {
			record, err := i.addressRecord(name, machine)
			if err != nil {
				return err
			}
			records = append(records, record)
		}
	}
	if err := i.records(ctx, report, records); err != nil {
		return err
	}
	return i.forgetAddresses(ctx, report, machines)
}
