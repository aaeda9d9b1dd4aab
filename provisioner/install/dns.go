package install

import (
	"context"
	"fmt"
	"strings"
	"time"

	"exoshift/internal/fault"
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
	object(report, "dns-zone", zone.Name, zone.ID, action)
	return i.records(ctx, report, i.fixedRecords())
}

func (i *Installation) records(ctx context.Context, report provisioner.Report, records []state.Record) error {
	return sideBySide(ctx, records, func(ctx context.Context, record state.Record) error {
		return i.record(ctx, report, record)
	})
}

func (i *Installation) fixedRecords() []state.Record {
	domain := i.spec.Domain()
	records := []state.Record{
		{Name: "api", Type: "A", Content: i.api.Address, TTL: shortTTL},
		{Name: "api-int", Type: "CNAME", Content: "api." + domain, TTL: shortTTL},
		{Name: "ingress", Type: "A", Content: i.ingress.Address, TTL: shortTTL},
	}
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
	object(report, "dns-record", record.Name+" "+record.Type+" "+record.Content, "", action)
	return nil
}

// delegation waits until the world finds the cluster's zone: machines would boot into a void without it.
func (i *Installation) delegation() func(context.Context, provisioner.Report) error {
	wait := provisioner.Until(i.world.Clock, 15*time.Second, 30*time.Minute, i.resolves)
	return func(ctx context.Context, report provisioner.Report) error {
		err := wait(ctx, report)
		if err == nil || ctx.Err() != nil {
			return err
		}
		return fault.New(fault.Waiting, "wait until the domain resolves", err).
			WithHint("in the zone of %s add: %s", i.spec.Cluster.BaseDomain, i.nsRecords())
	}
}

func (i *Installation) resolves(ctx context.Context) error {
	name := "api." + i.spec.Domain()
	addresses, err := i.world.Lookup(ctx, name)
	if err != nil {
		return fmt.Errorf("%s does not resolve yet: is %s delegated to %s?", name, i.spec.Domain(), strings.Join(i.zone.NameServers, ", "))
	}
	for _, address := range addresses {
		if address.String() == i.api.Address {
			return nil
		}
	}
	return fmt.Errorf("%s resolves to %v, not to %s", name, addresses, i.api.Address)
}

func (i *Installation) nsRecords() string {
	records := make([]string, len(i.zone.NameServers))
	for n, server := range i.zone.NameServers {
		records[n] = fmt.Sprintf("%s NS %s.", i.spec.Domain(), strings.TrimSuffix(server, "."))
	}
	return strings.Join(records, ", ")
}
