package compute

import (
	"slices"
	"time"

	"exoshift/internal/simcloud/api/instance"
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

// update changes future members only.
func (s *Pools) update(req *rest.Request) (any, error) {
	p, err := s.findIdle(req)
	if err != nil {
		return nil, err
	}
	// The decoder must not write to memory that is shared with the stored pool.
	body := poolRequest{Spec: instance.Spec{
		Name: p.Name, Type: p.Member.Type, Template: p.Member.Template, DiskSize: p.Member.DiskSize,
		Assignment: p.Member.Assignment, Consistent: p.Member.Consistent,
	}}
	if err := req.Decode(&body); err != nil {
		return nil, err
	}
	body.FillFrom(p.Member)
	body.applyTo(&p)
	return s.startUpdate(p)
}

func (s *Pools) startUpdate(p instance.Pool) (any, error) {
	if err := s.check(p); err != nil {
		return nil, err
	}
	return s.tables.Pools.Start(p, resource.Updating, resource.Running, resource.Duration(p.ID))
}

func (s *Pools) resetField(req *rest.Request) (any, error) {
	p, err := s.findIdle(req)
	if err != nil {
		return nil, err
	}
	resets := map[string]func(){
		"anti-affinity-groups": func() { p.Member.AntiAffinity = nil },
		"description":          func() { p.Description = "" },
		"labels":               func() { p.Member.Labels = map[string]string{} },
		"security-groups":      func() { p.Member.Groups = nil },
		"elastic-ips":          func() { p.ElasticIPs = nil },
		"private-networks":     func() { p.Networks = nil },
		"ssh-key":              func() { p.Member.Key, p.Member.Keys = nil, nil },
		"user-data":            func() { p.Member.UserData = nil },
		"deploy-target":        func() { p.Member.DeployTarget = nil },
		"ipv6-enabled":         func() { p.IPv6 = false },
	}
	reset, known := resets[req.Field()]
	if !known {
		return nil, rest.Invalidf("field %s can not be reset", req.Field())
	}
	reset()
	return s.startUpdate(p)
}

// scale removes the newest members first: the real order is not documented.
func (s *Pools) scale(req *rest.Request) (any, error) {
	p, err := s.findIdle(req)
	if err != nil {
		return nil, err
	}
	body := struct {
		Size int64 `json:"size"`
	}{-1}
	if err := rest.FirstError(req.Decode(&body), rest.CheckRange("size", body.Size, 0, 1<<31-1)); err != nil {
		return nil, err
	}
	more := body.Size - p.Size
	p.Size = body.Size
	if more <= 0 {
		members := s.tables.Members(p.ID)
		return s.removeMembers(p, members[max(0, len(members)+int(more)):])
	}
	if err := rest.FirstError(s.launcher.checkRoom(p.Member, int(more)), s.createMembers(p)); err != nil {
		return nil, err
	}
	return s.tables.Pools.Start(p, scalingUp, resource.Running, computeStartDelay(p))
}

// evict destroys the given members and reduces the size by their number.
func (s *Pools) evict(req *rest.Request) (any, error) {
	p, err := s.findIdle(req)
	if err != nil {
		return nil, err
	}
	var body struct {
		Instances []string `json:"instances"`
	}
	if err := req.Decode(&body); err != nil {
		return nil, err
	}
	members := slices.DeleteFunc(s.tables.Members(p.ID), func(i instance.Instance) bool { return !slices.Contains(body.Instances, i.ID) })
	if len(members) != len(body.Instances) {
		return nil, rest.Invalidf("instances must name members of instance pool %s, each once", p.Name)
	}
	p.Size -= int64(len(members))
	if s.EvictsAnother {
		s.EvictsAnother = false
		others := slices.DeleteFunc(s.tables.Members(p.ID), func(i instance.Instance) bool { return slices.Contains(body.Instances, i.ID) })
		members = others[:min(len(others), len(members))]
	}
	return s.removeMembers(p, members)
}

func (s *Pools) removeMembers(p instance.Pool, leaving []instance.Instance) (any, error) {
	p.MinAvailable = min(p.MinAvailable, p.Size)
	for _, i := range leaving {
		if err := s.removeMember(i); err != nil {
			return nil, err
		}
	}
	return s.tables.Pools.Start(p, scalingDown, resource.Running, resource.SpreadDuration(p.ID, 10*time.Second, 14*time.Second))
}
