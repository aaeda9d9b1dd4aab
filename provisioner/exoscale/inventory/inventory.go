// Package inventory lists and deletes the objects of an Exoscale organization by their kinds alone, from what all kinds have in common.
package inventory

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"

	"exoshift/internal/fault"
	"exoshift/provisioner/exoscale/api"
	"exoshift/state"
)

// Inventory is every object of the organization in the zone, whatever its kind, except buckets.
type Inventory struct {
	api       *api.Client
	typeNames func(context.Context) (map[string]string, error) // of instance types, by their IDs
}

// New returns the inventory of a zone. typeNames returns the names of the instance types by their IDs.
func New(client *api.Client, typeNames func(context.Context) (map[string]string, error)) *Inventory {
	return &Inventory{api: client, typeNames: typeNames}
}

type resourceType struct {
	kind  string
	path  string
	query string
	list  string // the field of the response, and the end of the operation's name: list-<list>
}

// resourceTypes are all kinds that can belong to a cluster, except buckets.
var resourceTypes = []resourceType{ //nolint:gochecknoglobals // a table that nothing changes
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

func findResourceType(kind string) (resourceType, bool) {
	for _, s := range resourceTypes {
		if s.kind == kind {
			return s, true
		}
	}
	return resourceType{}, false
}

// isBlockStorage: not every zone has block storage, and those that have none refuse the lists.
func (s resourceType) isBlockStorage() bool {
	return s.kind == state.KindVolume || s.kind == state.KindVolumeSnapshot
}

func (s resourceType) joinPath(id string) string { return s.path + "/" + url.PathEscape(id) }

// ListObjects returns all objects of the organization in the zone that could belong to a cluster: all kinds but buckets, and of
// DNS zones not the records. Objects that may not be read are missing, and the error joins one of kind fault.Denied for each such
// kind, whose hint names the permission.
//
// Lists omit which instances hold an elastic IP: the Uses of elastic IPs are empty.
func (c *Inventory) ListObjects(ctx context.Context) ([]state.Object, error) {
	types, _ := c.typeNames(ctx) // details lack the types then
	found, faults := make([][]state.Object, len(resourceTypes)), make([]error, len(resourceTypes))
	api.ForEach(len(resourceTypes), func(i int) { found[i], faults[i] = c.listObjects(ctx, resourceTypes[i], types) })
	if ctx.Err() != nil {
		return nil, fault.New(fault.KindOf(ctx.Err()), "list existing objects", context.Cause(ctx))
	}
	var objects []state.Object
	for _, some := range found {
		objects = append(objects, some...)
	}
	return objects, errors.Join(faults...)
}

func (c *Inventory) listObjects(ctx context.Context, s resourceType, types map[string]string) ([]state.Object, error) {
	entries, err := listResources(ctx, c.api, s, s.query)
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

// HasBlockStorage reports whether the zone has block storage.
func (c *Inventory) HasBlockStorage(ctx context.Context) (bool, error) {
	volumes, _ := findResourceType(state.KindVolume)
	err := c.api.Get(ctx, "list "+volumes.kind+"s", volumes.path, nil)
	if fault.Is(err, fault.Invalid) {
		return false, nil
	}
	return err == nil, err
}

func listResources(ctx context.Context, c *api.Client, s resourceType, query string) ([]resource, error) {
	op := "list " + s.kind + "s"
	var answer map[string]json.RawMessage
	err := c.Get(ctx, op, s.path+query, &answer)
	switch {
	case s.isBlockStorage() && fault.Is(err, fault.Invalid): // the zone has none
		return nil, nil
	case fault.Is(err, fault.Denied):
		return nil, fault.New(fault.Denied, op, errors.Unwrap(err)).
			WithHint("allow list-%s in the IAM role of the API key, if the key itself is valid", s.list)
	case err != nil || answer[s.list] == nil:
		return nil, err
	}
	var entries []resource
	return entries, c.Translate(ctx, op, json.Unmarshal(answer[s.list], &entries))
}

// ListObjectsByKind returns the objects of one kind, of all but buckets; see ListObjects.
func (c *Inventory) ListObjectsByKind(ctx context.Context, kind string) ([]state.Object, error) {
	s, known := findResourceType(kind)
	if !known {
		return nil, fault.Newf(fault.Internal, "list existing objects", "objects of kind %q are not managed by the API", kind)
	}
	types, _ := c.typeNames(ctx)
	return c.listObjects(ctx, s, types)
}
