package exoscale

import (
	"context"
	"maps"
	"slices"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
	"exoshift/provisioner/exoscale/api"
	"exoshift/state"
)

// ElasticIPs are managed elastic IPs with their health checks and reverse DNS.
type ElasticIPs struct {
	api *api.Client
}

// EnsureElasticIP creates a managed elastic IP with its health check, labels and reverse DNS. Elastic IPs have no names: the name
// is kept in the description and in a label.
func (c *ElasticIPs) EnsureElasticIP(ctx context.Context, ip state.ElasticIP) (state.ElasticIP, state.Action, error) {
	wanted := toV2ElasticIP(ip)
	found, action, err := api.Ensure(ctx, c.api, api.Object[v2.ElasticIP]{
		Kind: kindElasticIP, Name: ip.Name,
		Find: func(ctx context.Context) ([]*v2.ElasticIP, error) {
			all, err := c.listElasticIPs(ctx)
			return filterMatching(all, func(live *v2.ElasticIP) bool { return isElasticIP(live, ip) }), err
		},
		Create: func(ctx context.Context) (*v2.ElasticIP, error) {
			return c.api.V2.CreateElasticIP(ctx, c.api.Zone, wanted)
		},
		ID: func(found *v2.ElasticIP) string { return deref(found.ID) },
	})
	if err != nil {
		return ip, action, err
	}
	if ip.ID = deref(found.ID); c.api.IsPreviewID(ip.ID) {
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

func (c *ElasticIPs) listElasticIPs(ctx context.Context) ([]*v2.ElasticIP, error) {
	return api.Call(ctx, c.api, "list elastic IPs", func(ctx context.Context) ([]*v2.ElasticIP, error) {
		return c.api.V2.ListElasticIPs(ctx, c.api.Zone)
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

func (c *ElasticIPs) syncElasticIP(ctx context.Context, ip state.ElasticIP, live, wanted *v2.ElasticIP) (bool, error) {
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
	return true, c.api.ApplyChange(ctx, state.Updated, kindElasticIP, ip.Name, func(ctx context.Context) (string, error) {
		update := &v2.ElasticIP{ID: &ip.ID, Description: &ip.Name, Labels: &labels, Healthcheck: wanted.Healthcheck}
		return ip.ID, c.api.V2.UpdateElasticIP(ctx, c.api.Zone, update)
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

func (c *ElasticIPs) ensureReverseDNS(ctx context.Context, ip state.ElasticIP) (changed bool, err error) {
	if ip.ReverseDNS == "" {
		return false, nil
	}
	has, err := api.Call(ctx, c.api, "read reverse-dns of "+ip.Address, func(ctx context.Context) (string, error) {
		return c.api.V2.GetElasticIPReverseDNS(ctx, c.api.Zone, ip.ID)
	})
	if err != nil && !fault.Is(err, fault.NotFound) {
		return false, err
	}
	if normalizeHost(has) == normalizeHost(ip.ReverseDNS) {
		_, err := c.api.RecordAdoption(kindReverseDNS, ip.Name, ip.ID)
		return false, err
	}
	return true, c.api.ApplyChange(ctx, state.Updated, kindReverseDNS, ip.Name, func(ctx context.Context) (string, error) {
		return ip.ID, c.api.V2.UpdateElasticIPReverseDNS(ctx, c.api.Zone, ip.ID, ip.ReverseDNS)
	})
}

// EnsureAttached attaches an elastic IP to an instance; other instances may hold it as well.
func (c *ElasticIPs) EnsureAttached(ctx context.Context, elasticIPID, instanceID string) (state.Action, error) {
	if c.api.IsPreviewID(elasticIPID) || c.api.IsPreviewID(instanceID) {
		return state.Created, nil
	}
	instance, err := getInstance(ctx, c.api, instanceID)
	if err != nil {
		return "", err
	}
	name := elasticIPID + " to " + deref(instance.Name)
	if slices.Contains(deref(instance.ElasticIPIDs), elasticIPID) {
		return c.api.RecordAdoption(kindAttachment, name, elasticIPID)
	}
	return state.Created, c.api.ApplyChange(ctx, state.Created, kindAttachment, name, func(ctx context.Context) (string, error) {
		return elasticIPID, c.api.V2.AttachInstanceToElasticIP(ctx, c.api.Zone, instance, &v2.ElasticIP{ID: &elasticIPID})
	})
}
