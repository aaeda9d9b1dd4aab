package exoscale

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
	"exoshift/state"
)

// CheckCredentials fails with fault.Denied for credentials that the API refuses and with fault.Invalid for an unknown zone. The
// API lists zones without credentials, so it also requests a list that only members of the organization may read.
func (c *Client) CheckCredentials(ctx context.Context) error {
	zones, err := call(ctx, c, "list zones", c.api.ListZones)
	var name *net.DNSError
	switch {
	case errors.As(err, &name) && name.IsNotFound:
		return fault.New(fault.Invalid, "look for zone "+c.zone, err).
			WithHint("check the zone (%s), and that this machine resolves names", zoneHint)
	case err != nil:
		return err
	case !slices.Contains(zones, c.zone):
		return fault.Newf(fault.Invalid, "look for zone "+c.zone, "there is no such zone").
			WithHint("choose one of %s", strings.Join(zones, ", "))
	}
	_, err = c.ListQuotas(ctx)
	return err
}

// ListQuotas returns the limits of the organization.
func (c *Client) ListQuotas(ctx context.Context) ([]state.Quota, error) {
	found, err := call(ctx, c, "list quotas", func(ctx context.Context) ([]*v2.Quota, error) {
		return c.api.ListQuotas(ctx, c.zone)
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
