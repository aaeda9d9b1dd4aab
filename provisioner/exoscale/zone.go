package exoscale

import (
	"context"
	"slices"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
	"exoshift/provisioner/exoscale/api"
	"exoshift/state"
)

// DNS is the DNS zones of the organization and their records.
type DNS struct {
	api *api.Client
}

// EnsureZone creates a DNS zone and returns its name servers, which Exoscale chooses when it creates the zone.
func (c *DNS) EnsureZone(ctx context.Context, name string) (state.Zone, state.Action, error) {
	found, action, err := api.Ensure(ctx, c.api, api.Object[v2.DNSDomain]{
		Kind: kindZone, Name: name,
		Find: func(ctx context.Context) ([]*v2.DNSDomain, error) { return c.listDNSZones(ctx, name) },
		Create: func(ctx context.Context) (*v2.DNSDomain, error) {
			return c.api.V2.CreateDNSDomain(ctx, c.api.Zone, &v2.DNSDomain{UnicodeName: &name})
		},
		ID: func(zone *v2.DNSDomain) string { return deref(zone.ID) },
	})
	zone := state.Zone{Name: name, ID: deref(found.ID)}
	if err != nil || c.api.IsPreviewID(zone.ID) {
		return zone, action, err
	}
	zone.NameServers, err = c.nameServers(ctx, zone)
	return zone, action, err
}

func (c *DNS) listDNSZones(ctx context.Context, name string) ([]*v2.DNSDomain, error) {
	zones, err := api.Call(ctx, c.api, "list DNS zones", func(ctx context.Context) ([]v2.DNSDomain, error) {
		return c.api.V2.ListDNSDomains(ctx, c.api.Zone)
	})
	var found []*v2.DNSDomain
	for i, zone := range zones {
		if normalizeHost(deref(zone.UnicodeName)) == normalizeHost(name) {
			found = append(found, &zones[i])
		}
	}
	return found, err
}

func (c *DNS) nameServers(ctx context.Context, zone state.Zone) ([]string, error) {
	records, err := c.listRecords(ctx, zone.ID)
	if err != nil {
		return nil, err
	}
	var servers []string
	for _, record := range records {
		if deref(record.Type) == "NS" && deref(record.Name) == "" {
			servers = append(servers, normalizeHost(deref(record.Content)))
		}
	}
	if len(servers) == 0 {
		return nil, fault.Newf(fault.Transient, "read the name servers of "+zone.Name, "the zone has none yet").
			WithHint("run again in a while")
	}
	slices.Sort(servers)
	return servers, nil
}
