package exoscale

import (
	"context"
	"errors"
	"net/http"
	"regexp"
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
			body := map[string]string{"unicode-name": name}
			id, err := c.api.ExecuteChange(ctx, "create dns-zone "+name, http.MethodPost, "/dns-domain", body)
			return &v2.DNSDomain{ID: &id, UnicodeName: &name}, err
		},
		ID: func(zone *v2.DNSDomain) string { return deref(zone.ID) },
	})
	zone := state.Zone{Name: name, ID: deref(found.ID)}
	switch {
	case err != nil && action == state.Created:
		return zone, action, explainZoneRefusal(err)
	case err != nil:
		return zone, action, err
	}
	if c.api.IsPreviewID(zone.ID) {
		return zone, action, nil
	}
	zone.NameServers, err = c.nameServers(ctx, zone)
	return zone, action, err
}

// planPattern matches broadly: how the API refuses a zone that the organization's DNS plan does not cover is not recorded.
var planPattern = regexp.MustCompile(`(?i)\bplan\b|subscri|payment|(number|limit|maximum) of .{0,20}(zone|domain)`)

// explainZoneRefusal adds the DNS plan, which no other object needs, to what may be the reason.
func explainZoneRefusal(err error) error {
	const plan = "a DNS zone needs a DNS plan with a free zone: buy one, or a larger one, in the Exoscale portal under DNS, or delete an unused zone"
	var refusal *fault.Error
	if !errors.As(err, &refusal) {
		return err
	}
	switch {
	case refusal.Kind == fault.Quota, api.HasMessage(err, planPattern):
		return fault.New(fault.Quota, refusal.Op, refusal.Err).WithHint("%s; then run again", plan)
	case refusal.Kind == fault.Denied, refusal.Kind == fault.Invalid:
		return refusal.WithHint("%s; or %s", refusal.Hint, plan)
	}
	return err
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
			WithHint("run again later")
	}
	slices.Sort(servers)
	return servers, nil
}
