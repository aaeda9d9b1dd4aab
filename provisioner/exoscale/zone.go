package exoscale

import (
	"context"
	"slices"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
	"exoshift/state"
)

// EnsureZone creates a DNS zone and returns its name servers, which Exoscale chooses when it creates the zone.
func (c *Client) EnsureZone(ctx context.Context, name string) (state.Zone, state.Action, error) {
	found, action, err := ensure(ctx, c, object[v2.DNSDomain]{
		kind: kindZone, name: name,
		find: func(ctx context.Context) ([]*v2.DNSDomain, error) { return c.listDNSZones(ctx, name) },
		create: func(ctx context.Context) (*v2.DNSDomain, error) {
			return c.api.CreateDNSDomain(ctx, c.zone, &v2.DNSDomain{UnicodeName: &name})
		},
		id: func(zone *v2.DNSDomain) string { return deref(zone.ID) },
	})
	zone := state.Zone{Name: name, ID: deref(found.ID)}
	if err != nil || c.isPreviewID(zone.ID) {
		return zone, action, err
	}
	zone.NameServers, err = c.nameServers(ctx, zone)
	return zone, action, err
}

func (c *Client) listDNSZones(ctx context.Context, name string) ([]*v2.DNSDomain, error) {
	zones, err := call(ctx, c, "list DNS zones", func(ctx context.Context) ([]v2.DNSDomain, error) {
		return c.api.ListDNSDomains(ctx, c.zone)
	})
	var found []*v2.DNSDomain
	for i, zone := range zones {
		if normalizeHost(deref(zone.UnicodeName)) == normalizeHost(name) {
			found = append(found, &zones[i])
		}
	}
	return found, err
}

func (c *Client) nameServers(ctx context.Context, zone state.Zone) ([]string, error) {
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
