package api

import (
	"slices"
	"time"
)

// updatePool changes future members only.
func (a *API) updatePool(c *call) (any, error) {
	p, err := a.findIdlePool(c)
	if err != nil {
		return nil, err
	}
	// The decoder must not write to memory that is shared with the stored pool.
	body := poolRequest{instanceRequest: instanceRequest{
		Name: p.Name, Type: p.Member.Type, Template: p.Member.Template, DiskSize: p.Member.DiskSize,
		Assignment: p.Member.Assignment, Consistent: p.Member.Consistent,
	}}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	body.fillFrom(p.Member)
	p.apply(body)
	return a.startPoolUpdate(p)
}

// fillFrom sets the fields that a request omits.
func (r *instanceRequest) fillFrom(from instanceRequest) {
	if r.Labels == nil {
		r.Labels = from.Labels
	}
	if r.Key == nil && r.Keys == nil {
		r.Key, r.Keys = from.Key, from.Keys
	}
	if r.UserData == nil {
		r.UserData = from.UserData
	}
	if r.DeployTarget == nil {
		r.DeployTarget = from.DeployTarget
	}
	if r.Groups == nil {
		r.Groups = from.Groups
	}
	if r.AntiAffinity == nil {
		r.AntiAffinity = from.AntiAffinity
	}
}

func (a *API) startPoolUpdate(p pool) (any, error) {
	if err := a.checkPool(p); err != nil {
		return nil, err
	}
	return a.startPoolTransition(p, updating, running, computeDuration(p.ID))
}

func (a *API) resetPoolField(c *call) (any, error) {
	p, err := a.findIdlePool(c)
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
	reset, known := resets[c.field()]
	if !known {
		return nil, newInvalidError("field %s can not be reset", c.field())
	}
	reset()
	return a.startPoolUpdate(p)
}

// scalePool removes the newest members first: the real order is not documented.
func (a *API) scalePool(c *call) (any, error) {
	p, err := a.findIdlePool(c)
	if err != nil {
		return nil, err
	}
	body := struct {
		Size int64 `json:"size"`
	}{-1}
	if err := check(c.decode(&body), checkRange("size", body.Size, 0, 1<<31-1)); err != nil {
		return nil, err
	}
	more := body.Size - p.Size
	p.Size = body.Size
	if more <= 0 {
		members := a.listMembers(p.ID)
		return a.removeMembers(p, members[max(0, len(members)+int(more)):])
	}
	if err := check(a.checkRoom(p.Member, int(more)), a.createMembers(p)); err != nil {
		return nil, err
	}
	return a.startPoolTransition(p, scalingUp, running, computePoolDelay(p))
}

// evictMembers destroys the given members and reduces the size by their number.
func (a *API) evictMembers(c *call) (any, error) {
	p, err := a.findIdlePool(c)
	if err != nil {
		return nil, err
	}
	var body struct {
		Instances []string `json:"instances"`
	}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	members := slices.DeleteFunc(a.listMembers(p.ID), func(i instance) bool { return !slices.Contains(body.Instances, i.ID) })
	if len(members) != len(body.Instances) {
		return nil, newInvalidError("instances must name members of instance pool %s, each once", p.Name)
	}
	p.Size -= int64(len(members))
	return a.removeMembers(p, members)
}

func (a *API) removeMembers(p pool, leaving []instance) (any, error) {
	p.MinAvailable = min(p.MinAvailable, p.Size)
	for _, i := range leaving {
		if err := a.removeMember(i); err != nil {
			return nil, err
		}
	}
	return a.startPoolTransition(p, scalingDown, running, spreadDuration(p.ID, 10*time.Second, 14*time.Second))
}
