package exoscale

import (
	"context"
	"slices"
	"sync"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
	"exoshift/state"
)

// typeCache keeps the zone's instance types for the life of the client: the list is long and does not change.
type typeCache struct {
	mutex sync.Mutex
	types []*v2.InstanceType
}

func (t *typeCache) get() []*v2.InstanceType {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.types
}

func (t *typeCache) put(types []*v2.InstanceType) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.types = types
}

// InstanceTypes returns the zone's instance types.
func (c *Client) InstanceTypes(ctx context.Context) ([]state.InstanceType, error) {
	found, err := c.instanceTypes(ctx)
	if err != nil {
		return nil, err
	}
	types := make([]state.InstanceType, len(found))
	for i, t := range found {
		types[i] = state.InstanceType{
			Name:       typeName(t),
			CPUs:       int(value(t.CPUs)),
			GPUs:       int(value(t.GPUs)),
			MemoryGiB:  float64(value(t.Memory)) / (1 << 30),
			Authorized: value(t.Authorized),
		}
	}
	return types, nil
}

func (c *Client) instanceTypes(ctx context.Context) ([]*v2.InstanceType, error) {
	if types := c.types.get(); types != nil {
		return types, nil
	}
	types, err := call(ctx, c, "list instance types", func(ctx context.Context) ([]*v2.InstanceType, error) {
		return c.api.ListInstanceTypes(ctx, c.zone)
	})
	if err == nil {
		c.types.put(types)
	}
	return types, err
}

// typeID returns the id of an instance type by its name.
func (c *Client) typeID(ctx context.Context, name string) (string, error) {
	types, err := c.instanceTypes(ctx)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(types, func(t *v2.InstanceType) bool { return typeName(t) == name })
	if i < 0 {
		return "", fault.Newf(fault.Invalid, "find instance type "+name, "zone %s does not offer it", c.zone).
			WithHint("`exo compute instance-type list` shows what it offers")
	}
	return value(types[i].ID), nil
}

func typeName(t *v2.InstanceType) string { return value(t.Family) + "." + value(t.Size) }
