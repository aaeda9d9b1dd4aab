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

// sideBySide bounds how many requests of one task are under way at once. The API has no published limit.
const sideBySide = 5

// shelf is where the API keeps the objects of a kind.
type shelf struct {
	kind  string
	path  string
	query string
	list  string // the field of the answer, and the end of the operation's name: list-<list>
}

// shelves are all kinds that could belong to a cluster, but buckets.
func shelves() []shelf {
	return []shelf{
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

func shelfOf(kind string) (shelf, bool) {
	for _, s := range shelves() {
		if s.kind == kind {
			return s, true
		}
	}
	return shelf{}, false
}

// place is the path of one object.
func (s shelf) place(id string) string { return s.path + "/" + url.PathEscape(id) }

// Objects returns everything that the organization has in the zone and could belong to a cluster: all kinds but
// buckets, of DNS zones not the records. What may not be read is missing, and the error joins one of kind
// fault.Denied for each such kind, whose hint names the permission.
//
// Which instances hold an elastic IP is told by each instance alone; Uses of elastic IPs are empty.
func (c *Client) Objects(ctx context.Context) ([]state.Object, error) {
	all := shelves()
	types := c.typeNames(ctx)
	found, faults := make([][]state.Object, len(all)), make([]error, len(all))
	each(len(all), func(i int) { found[i], faults[i] = c.objects(ctx, all[i], types) })
	if ctx.Err() != nil {
		return nil, fault.New(fault.KindOf(ctx.Err()), "list what there is", context.Cause(ctx))
	}
	var objects []state.Object
	for _, some := range found {
		objects = append(objects, some...)
	}
	return objects, errors.Join(faults...)
}

func (c *Client) objects(ctx context.Context, s shelf, types map[string]string) ([]state.Object, error) {
	entries, err := c.entries(ctx, s, s.query)
	if err != nil {
		return nil, err
	}
	var objects []state.Object
	for _, e := range entries {
		if !e.vanished() {
			objects = append(objects, state.Object{
				Kind: s.kind, Name: e.title(), ID: e.id(), Labels: e.Labels,
				Uses: e.uses(s.kind), Type: types[e.Type.ID], GiB: int(e.gibibytes(s.kind)), Detail: e.detail(s.kind, types),
				Created: e.created(),
			})
		}
	}
	return objects, nil
}

// entries lists a shelf.
func (c *Client) entries(ctx context.Context, s shelf, query string) ([]entry, error) {
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
	var entries []entry
	return entries, c.translate(ctx, op, json.Unmarshal(answer[s.list], &entries))
}

// typeNames returns the names of the instance types by their ids; without them an inventory is still true.
func (c *Client) typeNames(ctx context.Context) map[string]string {
	names := map[string]string{}
	types, err := c.instanceTypes(ctx)
	if err != nil {
		return names
	}
	for _, t := range types {
		names[t.ID] = t.name()
	}
	return names
}

// each does a task for every number below n, a few side by side.
func each(n int, do func(i int)) {
	var running sync.WaitGroup
	seats := make(chan struct{}, sideBySide)
	for i := range n {
		seats <- struct{}{}
		running.Go(func() {
			defer func() { <-seats }()
			do(i)
		})
	}
	running.Wait()
}
