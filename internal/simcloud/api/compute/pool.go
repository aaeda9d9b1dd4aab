package api

import (
	"net/http"
	"time"
)

// pool is an instance pool: it creates its members, and replaces lost ones.
type pool struct {
	row
	transition
	Name         string
	Description  string
	Prefix       string // of the members' names
	Size         int64
	MinAvailable int64
	Member       instanceRequest // specification of members
	ElasticIPs   []string
	Networks     []string
	IPv6         bool
}

// The states of a pool beside running and destroying.
const (
	creating    = "creating"
	scalingUp   = "scaling-up"
	scalingDown = "scaling-down"
	updating    = "updating"
)

type wirePool struct {
	ID           string            `json:"id"`
	Name         string            `json:"name"`
	Description  string            `json:"description,omitempty"`
	State        string            `json:"state"`
	Size         int64             `json:"size"`
	MinAvailable int64             `json:"min-available"`
	Prefix       string            `json:"instance-prefix"`
	Type         ref               `json:"instance-type"`
	Template     ref               `json:"template"`
	DiskSize     int64             `json:"disk-size"`
	UserData     string            `json:"user-data,omitempty"`
	Key          *wireKey          `json:"ssh-key,omitempty"`
	Keys         []wireKey         `json:"ssh-keys"`
	Labels       map[string]string `json:"labels"`
	Assignment   string            `json:"public-ip-assignment"`
	IPv6         bool              `json:"ipv6-enabled"`
	Consistent   bool              `json:"application-consistent-snapshot-enabled"`
	Groups       []ref             `json:"security-groups"`
	AntiAffinity []ref             `json:"anti-affinity-groups"`
	ElasticIPs   []ref             `json:"elastic-ips"`
	Networks     []ref             `json:"private-networks"`
	Instances    []ref             `json:"instances"`
	Target       *ref              `json:"deploy-target,omitempty"`
}

func (a *API) registerPoolRoutes(register func(string, handler)) {
	register("GET /instance-pool", a.listPools)
	register("POST /instance-pool", a.createPool)
	register("GET /instance-pool/{id}", func(c *call) (any, error) {
		p, err := a.tables.pools.get(c.zone, c.id())
		return a.viewPool(p), err
	})
	register("PUT /instance-pool/{id}", a.updatePool)
	register("DELETE /instance-pool/{id}", a.deletePool)
	register("DELETE /instance-pool/{id}/{field}", a.resetPoolField)
	register("PUT /instance-pool/{id}/:scale", a.scalePool)
	register("PUT /instance-pool/{id}/:evict", a.evictMembers)
}

func (a *API) listPools(c *call) (any, error) {
	list := []wirePool{}
	for _, p := range a.tables.pools.list(c.zone) {
		list = append(list, a.viewPool(p))
	}
	return map[string]any{"instance-pools": list}, nil
}

func (a *API) viewPool(p pool) wirePool {
	view := wirePool{
		ID: p.ID, Name: p.Name, Description: p.Description, State: p.State, Size: p.Size, MinAvailable: p.MinAvailable,
		Prefix: p.Prefix, Type: p.Member.Type, Template: p.Member.Template, DiskSize: p.Member.DiskSize,
		Keys: toWireKeys(collectKeyNames(p.Member)), Labels: p.Member.Labels, Assignment: p.Member.Assignment, IPv6: p.IPv6,
		Consistent: p.Member.Consistent, Groups: toRefs(toIDs(p.Member.Groups)), AntiAffinity: toRefs(toIDs(p.Member.AntiAffinity)),
		ElasticIPs: toRefs(p.ElasticIPs), Networks: toRefs(p.Networks), Instances: []ref{}, Target: p.Member.DeployTarget,
	}
	if p.Member.UserData != nil {
		view.UserData = *p.Member.UserData
	}
	if len(view.Keys) > 0 {
		view.Key = &view.Keys[0]
	}
	for _, i := range a.listMembers(p.ID) {
		view.Instances = append(view.Instances, ref{i.ID})
	}
	return view
}

// deletePool refuses a pool that a load balancer uses.
func (a *API) deletePool(c *call) (any, error) {
	p, err := a.tables.pools.get(c.zone, c.id())
	if err != nil {
		return nil, err
	}
	if p.State == destroying {
		return nil, newAPIError(http.StatusConflict, "Instance pool %s is being destroyed", p.Name)
	}
	if s, locked := a.tables.services.find(func(s service) bool { return s.Pool == p.ID }); locked {
		return nil, newAPIError(http.StatusForbidden,
			"Operation destroyInstancePool on resource %s is forbidden - reason: Locked by NLB %s", p.ID, s.Balancer)
	}
	for _, i := range a.listMembers(p.ID) {
		if err := a.removeMember(i); err != nil {
			return nil, err
		}
	}
	return a.startPoolTransition(p, destroying, destroyed, spreadDuration(p.ID, 10*time.Second, 14*time.Second))
}

func (a *API) startPoolTransition(p pool, by, to string, delay time.Duration) (any, error) {
	a.setTransition(a.tables.pools.noun, p.row, &p.transition, by, to, delay)
	if err := a.tables.pools.put(p); err != nil {
		return nil, err
	}
	return a.begin(p.Zone, delay, operation{Wire: wireOperation{Reference: newReference("instance-pool", p.ID)}})
}

// findIdlePool refuses a pool with a pending change, which is our reading.
func (a *API) findIdlePool(c *call) (pool, error) {
	p, err := a.tables.pools.get(c.zone, c.id())
	if err == nil && p.State != running {
		err = newAPIError(http.StatusConflict, "Instance pool %s is %s", p.Name, p.State)
	}
	return p, err
}
