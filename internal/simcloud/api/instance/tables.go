// Package instance is what other kinds of resources of the Exoscale API know of virtual machines: the stored instances and
// instance pools, and the catalogue of instance types.
package instance

import (
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

// Tables are the instances and the instance pools of the organization, and the types of instances.
type Tables struct {
	Instances *resource.StatefulTable[Instance, *Instance]
	Pools     *resource.StatefulTable[Pool, *Pool]
	types     []Type
	byID      map[string]Type
}

// NewTables opens the tables, and counts what instances use of the quotas.
func NewTables(store *resource.Store) *Tables {
	v := &Tables{
		Instances: resource.OpenStateful[Instance](store, "instance"),
		Pools:     resource.OpenStateful[Pool](store, "instance-pool"),
		types:     buildTypes(),
		byID:      map[string]Type{},
	}
	for _, t := range v.types {
		v.byID[t.ID] = t
	}
	store.Quotas.Count("instance", v.Instances.Len)
	store.Quotas.Count("cpu", func() int { return v.sum(func(t Type) int { return t.CPUs }) })
	store.Quotas.Count("memory", func() int { return v.sum(func(t Type) int { return t.Memory }) })
	for _, t := range v.types {
		if t.GPUs > 0 {
			store.Quotas.Count(t.Family, func() int { return v.countGPUs(t.Family) })
		}
	}
	return v
}

// sum adds up a property of all instances' types. A type that no longer exists is not counted.
func (v *Tables) sum(property func(Type) int) int {
	sum := 0
	for _, i := range v.Instances.All() {
		if t, ok := v.byID[i.Type]; ok {
			sum += property(t)
		}
	}
	return sum
}

func (v *Tables) countGPUs(family string) int {
	return v.sum(func(t Type) int {
		if t.Family != family {
			return 0
		}
		return t.GPUs
	})
}

// Types returns all instance types.
func (v *Tables) Types() []Type { return v.types }

// FindType returns an instance type by its ID.
func (v *Tables) FindType(id string) (Type, error) {
	if t, ok := v.byID[id]; ok {
		return t, nil
	}
	return Type{}, rest.NotFound("instance-type", id)
}

// Members returns the instances of a pool, except for those that are being destroyed.
func (v *Tables) Members(pool string) []Instance {
	return v.Instances.Filter(func(i Instance) bool { return i.Pool == pool && i.State != resource.Destroying })
}

// FindNamed returns the instance that the body of a request names.
func (v *Tables) FindNamed(req *rest.Request) (Instance, error) {
	var body struct {
		Instance resource.Ref `json:"instance"`
	}
	if err := req.Decode(&body); err != nil {
		return Instance{}, err
	}
	return v.Instances.Get(req.Zone, body.Instance.ID)
}

// FindInState returns the instance of a request's path; if it is in another state, the error has that message.
func (v *Tables) FindInState(req *rest.Request, state, otherwise string) (Instance, error) {
	i, err := v.Instances.Get(req.Zone, req.ID())
	if err == nil && i.State != state {
		err = rest.Invalidf("%s", otherwise)
	}
	return i, err
}
