package exoscale

import (
	"context"
	"slices"
	"sync"

	"exoshift/internal/fault"
	"exoshift/provisioner/exoscale/api"
	"exoshift/state"
)

// instanceType has the zones, which egoscale omits.
type instanceType struct {
	ID         string   `json:"id"`
	Family     string   `json:"family"`
	Size       string   `json:"size"`
	CPUs       int      `json:"cpus"`
	GPUs       int      `json:"gpus"`
	Memory     int64    `json:"memory"` // bytes
	Authorized bool     `json:"authorized"`
	Zones      []string `json:"zones"` // that have it
}

func (o instanceType) name() string { return o.Family + "." + o.Size }

// typeCache keeps the instance types for the lifetime of the client: the list is long and does not change.
type typeCache struct {
	mutex sync.Mutex
	types []instanceType
}

func (t *typeCache) get() []instanceType {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.types
}

func (t *typeCache) put(types []instanceType) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.types = types
}

// InstanceTypes are the instance types of all zones.
type InstanceTypes struct {
	api   *api.Client
	cache typeCache
}

// ListInstanceTypes returns the instance types available in the zone. The API lists those of all zones.
func (c *InstanceTypes) ListInstanceTypes(ctx context.Context) ([]state.InstanceType, error) {
	offers, err := c.fetch(ctx)
	if err != nil {
		return nil, err
	}
	var types []state.InstanceType
	for _, o := range offers {
		if len(o.Zones) > 0 && !slices.Contains(o.Zones, c.api.Zone) {
			continue
		}
		types = append(types, state.InstanceType{
			Name: o.name(), CPUs: o.CPUs, GPUs: o.GPUs, MemoryGiB: float64(o.Memory) / (1 << 30), Authorized: o.Authorized,
		})
	}
	return types, nil
}

func (c *InstanceTypes) fetch(ctx context.Context) ([]instanceType, error) {
	if types := c.cache.get(); types != nil {
		return types, nil
	}
	var list struct {
		Types []instanceType `json:"instance-types"`
	}
	err := c.api.Get(ctx, "list instance types", "/instance-type", &list)
	if err == nil {
		c.cache.put(list.Types)
	}
	return list.Types, err
}

func (c *InstanceTypes) findID(ctx context.Context, name string) (string, error) {
	types, err := c.fetch(ctx)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(types, func(o instanceType) bool { return o.name() == name })
	if i < 0 {
		return "", fault.Newf(fault.Invalid, "find instance type "+name, "zone %s does not offer it", c.api.Zone).
			WithHint("`exo compute instance-type list` shows what it offers")
	}
	return types[i].ID, nil
}

// mapNames returns the names of the types by their IDs.
func (c *InstanceTypes) mapNames(ctx context.Context) (map[string]string, error) {
	types, err := c.fetch(ctx)
	if err != nil {
		return nil, err
	}
	names := make(map[string]string, len(types))
	for _, t := range types {
		names[t.ID] = t.name()
	}
	return names, nil
}
