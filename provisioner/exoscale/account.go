package exoscale

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/exoscale/api"
	"exoshift/state"
)

// Account is the organization and what the API says of itself.
type Account struct {
	api *api.Client
}

// CheckCredentials fails with fault.Denied for credentials that the API refuses and with fault.Invalid for an unknown zone. The
// API lists zones without credentials, so it also requests a list that only members of the organization may read.
func (c *Account) CheckCredentials(ctx context.Context) error {
	zones, err := api.Call(ctx, c.api, "list zones", c.api.V2.ListZones)
	var name *net.DNSError
	switch {
	case errors.As(err, &name) && name.IsNotFound:
		return fault.New(fault.Invalid, "find zone "+c.api.Zone, err).
			WithHint("check the zone (%s), and that this machine resolves names", api.ZoneHint)
	case err != nil:
		return err
	case !slices.Contains(zones, c.api.Zone):
		return fault.Newf(fault.Invalid, "find zone "+c.api.Zone, "no such zone").
			WithHint("choose one of %s", strings.Join(zones, ", "))
	}
	_, err = c.ListQuotas(ctx)
	return err
}

// ListQuotas returns the limits of the organization.
func (c *Account) ListQuotas(ctx context.Context) ([]state.Quota, error) {
	found, err := api.Call(ctx, c.api, "list quotas", func(ctx context.Context) ([]*v2.Quota, error) {
		return c.api.V2.ListQuotas(ctx, c.api.Zone)
	})
	if err != nil {
		return nil, err
	}
	quotas := make([]state.Quota, len(found))
	for i, quota := range found {
		quotas[i] = state.Quota{
			Resource: deref(quota.Resource),
			Used:     int(deref(quota.Usage)),
			Limit:    int(deref(quota.Limit)),
		}
	}
	return quotas, nil
}

// GetServerTime returns the time of the API's clock, from the Date header of a response and therefore in whole seconds. The
// request is unsigned, because the API refuses a signature made with a wrong clock.
func (c *Account) GetServerTime(ctx context.Context) (time.Time, error) {
	const op = "read the clock of the API"
	header, _, err := c.api.GetUnsigned(ctx, "/zone")
	if err != nil {
		return time.Time{}, c.api.Translate(ctx, op, err)
	}
	date, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return time.Time{}, fault.New(fault.Internal, op, errors.Join(errors.New("the response has no date"), err)).
			WithHint("check whether a proxy removes headers from the API's responses")
	}
	return date, nil
}

// anyZone is where the zones are listed: each zone's API lists all of them.
const anyZone = "ch-gva-2"

// ListZones returns the names of all zones, sorted. It needs no credentials.
func ListZones(ctx context.Context, net network.Network) ([]string, error) {
	const op = "list zones"
	c := api.NewUnsigned(net, anyZone)
	defer c.Close()
	_, content, err := c.GetUnsigned(ctx, "/zone")
	if err != nil {
		return nil, c.Translate(ctx, op, err)
	}
	var list struct{ Zones []struct{ Name string } }
	if err := json.Unmarshal(content, &list); err != nil {
		return nil, c.Translate(ctx, op, err)
	}
	var names []string
	for _, zone := range list.Zones {
		names = append(names, zone.Name)
	}
	slices.Sort(names)
	return names, nil
}
