package exoscale

import (
	"context"
	"maps"
	"slices"
	"strings"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
	"exoshift/state"
)

// EnsureElasticIP creates a managed elastic IP with its health check, labels and reverse DNS. Elastic IPs have no names: the name
// is kept in the description and in a label.
func (c *Client) EnsureElasticIP(ctx context.Context, ip state.ElasticIP) (state.ElasticIP, state.Action, error) {
	wanted := toV2ElasticIP(ip)
	found, action, err := ensure(ctx, c, object[v2.ElasticIP]{
		kind: kindElasticIP, name: ip.Name,
		find: func(ctx context.Context) ([]*v2.ElasticIP, error) {
			all, err := c.listElasticIPs(ctx)
			return filterMatching(all, func(live *v2.ElasticIP) bool { return isElasticIP(live, ip) }), err
		},
		create: func(ctx context.Context) (*v2.ElasticIP, error) {
			return c.api.CreateElasticIP(ctx, c.zone, wanted)
		},
		id: func(found *v2.ElasticIP) string { return deref(found.ID) },
	})
	if err != nil {
		return ip, action, err
	}
	if ip.ID = deref(found.ID); c.isPreviewID(ip.ID) {
		return ip, action, nil
	}
	ip.Address = deref(found.IPAddress).String()
	changed, err := c.syncElasticIP(ctx, ip, found, wanted)
	if err != nil {
		return ip, action, err
	}
	named, err := c.ensureReverseDNS(ctx, ip)
	if changed || named {
		action = mergeUpdated(action)
	}
	return ip, action, err
}

func (c *Client) listElasticIPs(ctx context.Context) ([]*v2.ElasticIP, error) {
	return call(ctx, c, "list elastic IPs", func(ctx context.Context) ([]*v2.ElasticIP, error) {
		return c.api.ListElasticIPs(ctx, c.zone)
	})
}

func isElasticIP(live *v2.ElasticIP, ip state.ElasticIP) bool {
	labels := deref(live.Labels)
	if labels[state.LabelName] == "" && labels[state.LabelCluster] == "" {
		return deref(live.Description) == ip.Name
	}
	return labels[state.LabelName] == ip.Name && labels[state.LabelCluster] == ip.Labels[state.LabelCluster]
}

func toV2ElasticIP(ip state.ElasticIP) *v2.ElasticIP {
	labels := map[string]string{state.LabelName: ip.Name}
	maps.Copy(labels, ip.Labels)
	return &v2.ElasticIP{Description: &ip.Name, Labels: &labels, Healthcheck: toV2Healthcheck(ip.Healthcheck)}
}

// toV2Healthcheck sets every field, because the API's defaults differ from those of its clients. A cluster's certificates are
// signed by its own CA, which Exoscale cannot verify.
func toV2Healthcheck(check state.Healthcheck) *v2.ElasticIPHealthcheck {
	if check.Mode == "" {
		return nil
	}
	wire := &v2.ElasticIPHealthcheck{
		Mode:        &check.Mode,
		Port:        new(uint16(check.Port)), //nolint:gosec // a port
		URI:         omitEmpty(check.Path),
		Interval:    &check.Interval,
		Timeout:     &check.Timeout,
		StrikesOK:   new(int64(check.StrikesOK)),
		StrikesFail: new(int64(check.StrikesFail)),
	}
	if check.Mode == "https" {
		wire.TLSSkipVerify = new(true)
	}
	return wire
}

func (c *Client) syncElasticIP(ctx context.Context, ip state.ElasticIP, live, wanted *v2.ElasticIP) (bool, error) {
	has, wants := fromV2Healthcheck(live.Healthcheck), fromV2Healthcheck(wanted.Healthcheck)
	if has.Mode != wants.Mode { // fixed at creation, and cannot be added later
		return false, fault.Newf(fault.Conflict, "ensure elastic-ip "+ip.Name,
			"its health check has mode %q instead of %q, which cannot be changed", has.Mode, wants.Mode).
			WithHint("release %s (%s) if nothing needs it, then run again", ip.Address, ip.ID)
	}
	labels := maps.Clone(deref(live.Labels))
	if labels == nil {
		labels = map[string]string{}
	}
	maps.Copy(labels, deref(wanted.Labels))
	if has == wants && maps.Equal(labels, deref(live.Labels)) {
		return false, nil
	}
	return true, c.applyChange(ctx, state.Updated, kindElasticIP, ip.Name, func(ctx context.Context) (string, error) {
		update := &v2.ElasticIP{ID: &ip.ID, Description: &ip.Name, Labels: &labels, Healthcheck: wanted.Healthcheck}
		return ip.ID, c.api.UpdateElasticIP(ctx, c.zone, update)
	})
}

func fromV2Healthcheck(check *v2.ElasticIPHealthcheck) state.Healthcheck {
	if check == nil {
		return state.Healthcheck{}
	}
	return state.Healthcheck{
		Mode:        deref(check.Mode),
		Port:        int(deref(check.Port)),
		Path:        deref(check.URI),
		Interval:    deref(check.Interval),
		Timeout:     deref(check.Timeout),
		StrikesOK:   int(deref(check.StrikesOK)),
		StrikesFail: int(deref(check.StrikesFail)),
	}
}

func (c *Client) ensureReverseDNS(ctx context.Context, ip state.ElasticIP) (changed bool, err error) {
	if ip.ReverseDNS == "" {
		return false, nil
	}
	has, err := call(ctx, c, "read reverse-dns of "+ip.Address, func(ctx context.Context) (string, error) {
		return c.api.GetElasticIPReverseDNS(ctx, c.zone, ip.ID)
	})
	if err != nil && !fault.Is(err, fault.NotFound) {
		return false, err
	}
	if normalizeHost(has) == normalizeHost(ip.ReverseDNS) {
		_, err := c.recordAdoption(kindReverseDNS, ip.Name, ip.ID)
		return false, err
	}
	return true, c.applyChange(ctx, state.Updated, kindReverseDNS, ip.Name, func(ctx context.Context) (string, error) {
		return ip.ID, c.api.UpdateElasticIPReverseDNS(ctx, c.zone, ip.ID, ip.ReverseDNS)
	})
}

// EnsureAttached attaches an elastic IP to an instance; other instances may hold it as well.
func (c *Client) EnsureAttached(ctx context.Context, elasticIPID, instanceID string) (state.Action, error) {
	if c.isPreviewID(elasticIPID) || c.isPreviewID(instanceID) {
		return state.Created, nil
	}
	instance, err := c.getInstance(ctx, instanceID)
	if err != nil {
		return "", err
	}
	name := elasticIPID + " to " + deref(instance.Name)
	if slices.Contains(deref(instance.ElasticIPIDs), elasticIPID) {
		return c.recordAdoption(kindAttachment, name, elasticIPID)
	}
	return state.Created, c.applyChange(ctx, state.Created, kindAttachment, name, func(ctx context.Context) (string, error) {
		return elasticIPID, c.api.AttachInstanceToElasticIP(ctx, c.zone, instance, &v2.ElasticIP{ID: &elasticIPID})
	})
}

func normalizeHost(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }
