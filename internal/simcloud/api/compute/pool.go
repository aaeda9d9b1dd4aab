package compute

import (
	"net/http"
	"time"

	"exoshift/internal/simcloud/api/instance"
	"exoshift/internal/simcloud/api/networking"
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

// The states of a pool that changes its size.
const (
	scalingUp   = "scaling-up"
	scalingDown = "scaling-down"
)

type wirePool struct {
	ID           string            `json:"id"`
	Name         string            `json:"name"`
	Description  string            `json:"description,omitempty"`
	State        string            `json:"state"`
	Size         int64             `json:"size"`
	MinAvailable int64             `json:"min-available"`
	Prefix       string            `json:"instance-prefix"`
	Type         resource.Ref      `json:"instance-type"`
	Template     resource.Ref      `json:"template"`
	DiskSize     int64             `json:"disk-size"`
	UserData     string            `json:"user-data,omitempty"`
	Key          *instance.SSHKey  `json:"ssh-key,omitempty"`
	Keys         []instance.SSHKey `json:"ssh-keys"`
	Labels       map[string]string `json:"labels,omitempty"`
	Assignment   string            `json:"public-ip-assignment"`
	IPv6         bool              `json:"ipv6-enabled"`
	Consistent   bool              `json:"application-consistent-snapshot-enabled"`
	Groups       []resource.Ref    `json:"security-groups"`
	AntiAffinity []resource.Ref    `json:"anti-affinity-groups"`
	ElasticIPs   []resource.Ref    `json:"elastic-ips"`
	Networks     []resource.Ref    `json:"private-networks"`
	Instances    []resource.Ref    `json:"instances"`
	Target       *resource.Ref     `json:"deploy-target,omitempty"`
}

// Pools are the instance pools of all zones. They create their members, and replace lost ones.
type Pools struct {
	EvictsAnother bool // another member than the next one that is to be evicted is destroyed

	store      *resource.Store
	tables     *instance.Tables
	launcher   *launcher
	networking *networking.Networking
}

// registerRoutes adds the routes of instance pools.
func (s *Pools) registerRoutes(register rest.Register) {
	register("GET /instance-pool", s.list)
	register("POST /instance-pool", s.create)
	register("GET /instance-pool/{id}", func(req *rest.Request) (any, error) {
		p, err := s.tables.Pools.Get(req.Zone, req.ID())
		return s.view(p), err
	})
	register("PUT /instance-pool/{id}", s.update)
	register("DELETE /instance-pool/{id}", s.delete)
	register("DELETE /instance-pool/{id}/{field}", s.resetField)
	register("PUT /instance-pool/{id}/:scale", s.scale)
	register("PUT /instance-pool/{id}/:evict", s.evict)
}

func (s *Pools) list(req *rest.Request) (any, error) {
	list := []wirePool{}
	for _, p := range s.tables.Pools.List(req.Zone) {
		list = append(list, s.view(p))
	}
	return map[string]any{"instance-pools": list}, nil
}

func (s *Pools) view(p instance.Pool) wirePool {
	view := wirePool{
		ID: p.ID, Name: p.Name, Description: p.Description, State: p.State, Size: p.Size, MinAvailable: p.MinAvailable,
		Prefix: p.Prefix, Type: p.Member.Type, Template: p.Member.Template, DiskSize: p.Member.DiskSize,
		Keys: toSSHKeys(p.Member.KeyNames()), Labels: p.Member.Labels, Assignment: p.Member.Assignment, IPv6: p.IPv6,
		Consistent: p.Member.Consistent, Groups: resource.ToRefs(resource.ToIDs(p.Member.Groups)), AntiAffinity: resource.ToRefs(resource.ToIDs(p.Member.AntiAffinity)),
		ElasticIPs: resource.ToRefs(p.ElasticIPs), Networks: resource.ToRefs(p.Networks), Instances: []resource.Ref{}, Target: p.Member.DeployTarget,
	}
	if p.Member.UserData != nil {
		view.UserData = *p.Member.UserData
	}
	if len(view.Keys) > 0 {
		view.Key = &view.Keys[0]
	}
	for _, i := range s.tables.Members(p.ID) {
		view.Instances = append(view.Instances, resource.Ref{ID: i.ID})
	}
	return view
}

// delete refuses a pool that a load balancer uses.
func (s *Pools) delete(req *rest.Request) (any, error) {
	p, err := s.tables.Pools.Get(req.Zone, req.ID())
	if err != nil {
		return nil, err
	}
	if p.State == resource.Destroying {
		return nil, rest.Errorf(http.StatusConflict, "Instance pool %s is being destroyed", p.Name)
	}
	if balancer, locked := s.networking.LoadBalancers.Using(p.ID); locked {
		return nil, rest.Errorf(http.StatusForbidden,
			"Operation destroyInstancePool on resource %s is forbidden - reason: Locked by NLB %s", p.ID, balancer)
	}
	for _, i := range s.tables.Members(p.ID) {
		if err := s.removeMember(i); err != nil {
			return nil, err
		}
	}
	return s.tables.Pools.Start(p, resource.Destroying, resource.Destroyed, resource.SpreadDuration(p.ID, 10*time.Second, 14*time.Second))
}

// findIdle refuses a pool with a pending change, which is our reading.
func (s *Pools) findIdle(req *rest.Request) (instance.Pool, error) {
	p, err := s.tables.Pools.Get(req.Zone, req.ID())
	if err == nil && p.State != resource.Running {
		err = rest.Errorf(http.StatusConflict, "Instance pool %s is %s", p.Name, p.State)
	}
	return p, err
}

type poolRequest struct {
	instance.Spec
	Description  *string        `json:"description"`
	Size         int64          `json:"size"`
	MinAvailable *int64         `json:"min-available"`
	Prefix       *string        `json:"instance-prefix"`
	ElasticIPs   []resource.Ref `json:"elastic-ips"`
	Networks     []resource.Ref `json:"private-networks"`
	IPv6         *bool          `json:"ipv6-enabled"`
}

func (s *Pools) create(req *rest.Request) (any, error) {
	body := poolRequest{Spec: instance.Spec{Assignment: "inet4", Labels: map[string]string{}}}
	if err := req.Decode(&body); err != nil {
		return nil, err
	}
	head, err := s.store.NewZonedRow(req)
	if err != nil {
		return nil, err
	}
	p := instance.Pool{Row: head, Prefix: "pool", Size: body.Size}
	body.applyTo(&p)
	err = rest.FirstError(rest.CheckRange("size", p.Size, 1, 1<<31-1), s.check(p), s.launcher.checkRoom(p.Member, int(p.Size)))
	if err != nil {
		return nil, err
	}
	if err := s.createMembers(p); err != nil {
		return nil, err
	}
	return s.tables.Pools.Start(p, resource.Creating, resource.Running, computeStartDelay(p))
}

// applyTo sets the fields that a request contains.
func (r poolRequest) applyTo(p *instance.Pool) {
	p.Name, p.Member = r.Name, r.Spec
	p.Member.Name = ""
	if r.Description != nil {
		p.Description = *r.Description
	}
	if r.MinAvailable != nil {
		p.MinAvailable = *r.MinAvailable
	}
	if r.Prefix != nil {
		p.Prefix = *r.Prefix
	}
	if r.IPv6 != nil {
		p.IPv6 = *r.IPv6
	}
	if r.ElasticIPs != nil {
		p.ElasticIPs = resource.ToIDs(r.ElasticIPs)
	}
	if r.Networks != nil {
		p.Networks = resource.ToIDs(r.Networks)
	}
}

func (s *Pools) check(p instance.Pool) error {
	member := p.Member
	member.Name = p.Name // has the same bounds
	for _, id := range p.ElasticIPs {
		if err := s.networking.ElasticIPs.Check(p.Zone, id); err != nil {
			return err
		}
	}
	for _, id := range p.Networks {
		if err := s.networking.PrivateNetworks.Check(p.Zone, id); err != nil {
			return err
		}
	}
	return rest.FirstError(
		rest.CheckLength("instance-prefix", p.Prefix, 1, 30),
		rest.CheckDescription(&p.Description),
		rest.CheckRange("min-available", p.MinAvailable, 0, p.Size),
		checkInstance(member),
		s.launcher.checkParts(p.Zone, member),
		s.launcher.antiAffinity.check(resource.ToIDs(member.AntiAffinity), 0),
	)
}
