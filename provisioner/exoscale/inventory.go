package exoscale

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"sync"

	"exoshift/internal/fault"
	"exoshift/state"
)

// maxParallel is an estimate: the API has no published limit.
const maxParallel = 5

type resourceType struct {
	kind  string
	path  string
	query string
	list  string // the field of the response, and the end of the operation's name: list-<list>
}

// listResourceTypes returns all kinds that can belong to a cluster, except buckets.
func listResourceTypes() []resourceType {
	return []resourceType{
		{kind: state.KindInstance, path: "/instance", list: "instances"},
		{kind: state.KindInstancePool, path: "/instance-pool", list: "instance-pools"},
		{kind: state.KindLoadBalancer, path: "/load-balancer", list: "load-balancers"},
		{kind: state.KindVolume, path: "/block-storage", list: "block-storage-volumes"},
		{kind: state.KindVolumeSnapshot, path: "/block-storage-snapshot", list: "block-storage-snapshots"},
		{kind: state.KindSnapshot, path: "/snapshot", list: "snapshots"},
		{kind: state.KindElasticIP, path: "/elastic-ip", list: "elastic-ips"},
		{kind: state.KindPrivateNetwork, path: "/private-network", list: "private-networks"},
		{kind: state.KindSecurityGroup, path: "/security-group", list: "security-groups"},
		{kind: state.KindAntiAffinityGroup, path: "/anti-affinity-group", list: "anti-affinity-groups"},
		{kind: state.KindTemplate, path: "/template", query: "?visibility=private", list: "templates"},
		{kind: state.KindZone, path: "/dns-domain", list: "dns-domains"},
		{kind: state.KindAPIKey, path: "/api-key", list: "api-keys"},
		{kind: state.KindRole, path: "/iam-role", list: "iam-roles"},
		{kind: state.KindSSHKey, path: "/ssh-key", list: "ssh-keys"},
	}
}

func findResourceType(kind string) (resourceType, bool) {
	for _, s := range listResourceTypes() {
		if s.kind == kind {
			return s, true
		}
	}
	return resourceType{}, false
}

func (s resourceType) joinPath(id string) string { return s.path + "/" + url.PathEscape(id) }

// ListObjects returns all objects of the organization in the zone that could belong to a cluster: all kinds but buckets, and of
// DNS zones not the records. Objects that may not be read are missing, and the error joins one of kind fault.Denied for each such
// kind, whose hint names the permission.
//
// Lists omit which instances hold an elastic IP: the Uses of elastic IPs are empty.
func (c *Client) ListObjects(ctx context.Context) ([]state.Object, error) {
	all := listResourceTypes()
	types := c.listTypeNames(ctx)
	found, faults := make([][]state.Object, len(all)), make([]error, len(all))
	forEachParallel(len(all), func(i int) { found[i], faults[i] = c.listObjects(ctx, all[i], types) })
	if ctx.Err() != nil {
		return nil, fault.New(fault.KindOf(ctx.Err()), "list what there is", context.Cause(ctx))
	}
	var objects []state.Object
	for _, some := range found {
		objects = append(objects, some...)
	}
	return objects, errors.Join(faults...)
}

func (c *Client) listObjects(ctx context.Context, s resourceType, types map[string]string) ([]state.Object, error) {
	entries, err := c.listResources(ctx, s, s.query)
	if err != nil {
		return nil, err
	}
	var objects []state.Object
	for _, e := range entries {
		if !e.isGone() {
			objects = append(objects, state.Object{
				Kind: s.kind, Name: e.displayName(), ID: e.id(), Labels: e.Labels,
				Uses: e.listUses(s.kind), Type: types[e.Type.ID], GiB: int(e.sizeGiB(s.kind)), Detail: e.formatDetail(s.kind, types),
				Created: e.parseCreated(),
			})
		}
	}
	return objects, nil
}

func (c *Client) listResources(ctx context.Context, s resourceType, query string) ([]resource, error) {
	op := "list " + s.kind + "s"
	var answer map[string]json.RawMessage
	err := c.get(ctx, op, s.path+query, &answer)
	switch {
	case fault.Is(err, fault.Denied):
		return nil, fault.New(fault.Denied, op, errors.Unwrap(err)).
			WithHint("allow list-%s in the IAM role of the API key, if the key itself is valid", s.list)
	case err != nil || answer[s.list] == nil:
		return nil, err
	}
	var entries []resource
	return entries, c.translate(ctx, op, json.Unmarshal(answer[s.list], &entries))
}

func (c *Client) listTypeNames(ctx context.Context) map[string]string {
	names := map[string]string{}
	types, err := c.fetchTypes(ctx)
	if err != nil {
		return names
	}
	for _, t := range types {
		names[t.ID] = t.name()
	}
	return names
}

func forEachParallel(n int, do func(i int)) {
	var running sync.WaitGroup
	seats := make(chan struct{}, maxParallel)
	for i := range n {
		seats <- struct{}{}
		running.Go(func() {
			defer func() { <-seats }()
			do(i)
		})
	}
	running.Wait()
}
