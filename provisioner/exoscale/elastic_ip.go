package exoscale

import (
	"context"
	"maps"
	"net/http"
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
	wanted := newElasticIPRequest(ip)
	found, action, err := api.Ensure(ctx, c.api, api.Object[v2.ElasticIP]{
		Kind: kindElasticIP, Name: ip.Name,
		Find: func(ctx context.Context) ([]*v2.ElasticIP, error) {
			all, err := c.listElasticIPs(ctx)
			return filterMatching(all, func(live *v2.ElasticIP) bool { return isElasticIP(live, ip) }), err
		},
		Create: func(ctx context.Context) (*v2.ElasticIP, error) {
			id, err := c.api.ExecuteChange(ctx, "create elastic-ip "+ip.Name, http.MethodPost, elasticIPPath, wanted)
			if err != nil {
				return nil, err
			}
			return c.api.V2.GetElasticIP(ctx, c.api.Zone, id) // its address
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
	if changed {
		action = mergeUpdated(action)
	}
	if ip.ReverseDNS == "" {
		return ip, action, nil
	}
	named, err := c.EnsureReverseDNS(ctx, ip)
	if named == state.Updated {
		action = mergeUpdated(action)
	}
	return ip, action, err
}

const elasticIPPath = "/elastic-ip"

type elasticIPRequest struct {
	Description string              `json:"description"`
	Labels      map[string]string   `json:"labels"`
	Healthcheck *healthcheckRequest `json:"healthcheck,omitempty"`
}

type healthcheckRequest struct {
	Mode          string `json:"mode"`
	Port          int    `json:"port"`
	URI           string `json:"uri,omitempty"`
	Interval      int    `json:"interval"` // seconds
	Timeout       int    `json:"timeout"`  // seconds
	StrikesOK     int64  `json:"strikes-ok"`
	StrikesFail   int64  `json:"strikes-fail"`
	TLSSkipVerify bool   `json:"tls-skip-verify,omitempty"`
}

// newElasticIPRequest sets every field, because the API's defaults differ from those of its clients. A cluster's certificates are
// signed by its own CA, which Exoscale cannot verify.
func newElasticIPRequest(ip state.ElasticIP) elasticIPRequest {
	request := elasticIPRequest{Description: ip.Name, Labels: map[string]string{state.LabelName: ip.Name}}
	maps.Copy(request.Labels, ip.Labels)
	if check := ip.Healthcheck; check.Mode != "" {
		request.Healthcheck = &healthcheckRequest{
			Mode: check.Mode, Port: check.Port, URI: check.Path, Interval: int(check.Interval.Seconds()), Timeout: int(check.Timeout.Seconds()),
			StrikesOK: int64(check.StrikesOK), StrikesFail: int64(check.StrikesFail), TLSSkipVerify: check.Mode == "https",
		}
	}
	return request
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

func (c *ElasticIPs) syncElasticIP(ctx context.Context, ip state.ElasticIP, live *v2.ElasticIP, wanted elasticIPRequest) (bool, error) {
	has, wants := fromV2Healthcheck(live.Healthcheck), state.Healthcheck{}
	if wanted.Healthcheck != nil {
		wants = ip.Healthcheck
	}
	if has.Mode != wants.Mode { // fixed at creation, and cannot be added later
		return false, fault.Newf(fault.Conflict, "ensure elastic-ip "+ip.Name,
			"its health check has mode %q instead of %q, which cannot be changed", has.Mode, wants.Mode).
			WithHint("release %s (%s) if it is unused, then run again", ip.Address, ip.ID)
	}
	labels := maps.Clone(deref(live.Labels))
	if labels == nil {
		labels = map[string]string{}
	}
	maps.Copy(labels, wanted.Labels)
	wanted.Labels = labels
	if has == wants && maps.Equal(labels, deref(live.Labels)) {
		return false, nil
	}
	return true, c.api.ApplyChange(ctx, state.Updated, kindElasticIP, ip.Name, func(ctx context.Context) (string, error) {
		return ip.ID, c.api.Put(ctx, "update elastic-ip "+ip.Name, elasticIPPath+"/"+ip.ID, wanted)
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

// EnsureReverseDNS gives the address of an elastic IP, which is known by its ID, the name ip.ReverseDNS.
func (c *ElasticIPs) EnsureReverseDNS(ctx context.Context, ip state.ElasticIP) (action state.Action, err error) {
	action = state.Found
	err = api.Repeat(ctx, c.api, "ensure "+kindReverseDNS+" of "+ip.Address, func(ctx context.Context) error {
		set, err := c.setReverseDNS(ctx, ip)
		if set {
			action = state.Updated
		}
		return err
	})
	return action, err
}

func (c *ElasticIPs) setReverseDNS(ctx context.Context, ip state.ElasticIP) (changed bool, err error) {
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
		body := map[string]string{"domain-name": ip.ReverseDNS}
		_, err := c.api.ExecuteChange(ctx, "update reverse-dns of "+ip.Address, http.MethodPost, "/reverse-dns/elastic-ip/"+ip.ID, body)
		return ip.ID, err
	})
}

// EnsureAttached attaches an elastic IP to an instance; other instances may hold it as well.
func (c *ElasticIPs) EnsureAttached(ctx context.Context, elasticIPID, instanceID string) (action state.Action, err error) {
	if c.api.IsPreviewID(elasticIPID) || c.api.IsPreviewID(instanceID) {
		return state.Created, nil
	}
	err = api.Repeat(ctx, c.api, "attach elastic-ip "+elasticIPID, func(ctx context.Context) (err error) {
		action, err = c.attach(ctx, elasticIPID, instanceID)
		return err
	})
	return action, err
}

// EnsureDetached detaches an elastic IP from an instance: state.Found if it is not attached to it, or the instance is gone.
func (c *ElasticIPs) EnsureDetached(ctx context.Context, elasticIPID, instanceID string) (action state.Action, err error) {
	err = api.Repeat(ctx, c.api, "detach elastic-ip "+elasticIPID, func(ctx context.Context) (err error) {
		action, err = c.detach(ctx, elasticIPID, instanceID)
		return err
	})
	return action, err
}

// ListAttached returns the IDs of the elastic IPs that are attached to an instance.
func (c *ElasticIPs) ListAttached(ctx context.Context, instanceID string) ([]string, error) {
	instance, err := getInstance(ctx, c.api, instanceID)
	if err != nil {
		return nil, err
	}
	return deref(instance.ElasticIPIDs), nil
}

func (c *ElasticIPs) attach(ctx context.Context, elasticIPID, instanceID string) (state.Action, error) {
	instance, err := getInstance(ctx, c.api, instanceID)
	if err != nil {
		return "", err
	}
	name := elasticIPID + " to " + deref(instance.Name)
	if slices.Contains(deref(instance.ElasticIPIDs), elasticIPID) {
		return c.api.RecordAdoption(kindAttachment, name, elasticIPID)
	}
	return state.Created, c.api.ApplyChange(ctx, state.Created, kindAttachment, name, func(ctx context.Context) (string, error) {
		body := map[string]api.Reference{"instance": {ID: instanceID}}
		return elasticIPID, c.api.Put(ctx, "attach elastic-ip "+elasticIPID, elasticIPPath+"/"+elasticIPID+":attach", body)
	})
}

func (c *ElasticIPs) detach(ctx context.Context, elasticIPID, instanceID string) (state.Action, error) {
	instance, err := getInstance(ctx, c.api, instanceID)
	switch {
	case fault.Is(err, fault.NotFound):
		return state.Found, nil
	case err != nil:
		return "", err
	case !slices.Contains(deref(instance.ElasticIPIDs), elasticIPID):
		return state.Found, nil
	}
	return state.Deleted, c.api.ApplyChange(ctx, state.Deleted, kindAttachment, elasticIPID+" to "+deref(instance.Name), func(ctx context.Context) (string, error) {
		body := map[string]api.Reference{"instance": {ID: instanceID}}
		return elasticIPID, c.api.Put(ctx, "detach elastic-ip "+elasticIPID, elasticIPPath+"/"+elasticIPID+":detach", body)
	})
}
