package api

import (
	"crypto/rand"
	"strings"
	"time"
)

// members returns the instances of a pool that are not being destroyed.
func (a *API) members(pool string) []instance {
	return a.tables.instances.where(func(i instance) bool { return i.Pool == pool && i.State != destroying })
}

// recruit makes members until the pool has its size.
func (a *API) recruit(p pool) error {
	for range p.Size - int64(len(a.members(p.ID))) {
		member := p.Member
		member.Name = memberName(p)
		i, err := a.newInstance(p.Zone, member)
		if err != nil {
			return err
		}
		i.Pool = p.ID
		if err := check(a.tables.instances.put(i), a.equip(p, i)); err != nil {
			return err
		}
	}
	return nil
}

// memberName returns a new name: the prefix, five characters of the pool, five of the instance.
func memberName(p pool) string {
	return p.Prefix + "-" + p.ID[:5] + "-" + strings.ToLower(rand.Text())[:5]
}

// equip gives a new member the elastic IPs and networks of its pool.
func (a *API) equip(p pool, i instance) error {
	for _, id := range p.ElasticIPs {
		ip, ok := a.tables.elasticIPs.table.Get(id)
		if !ok {
			continue // deleted meanwhile
		}
		ip.Instances = append(ip.Instances, i.ID)
		if err := a.tables.elasticIPs.put(ip); err != nil {
			return err
		}
	}
	for _, id := range p.Networks {
		network, ok := a.tables.networks.table.Get(id)
		if !ok {
			continue
		}
		if err := a.tables.networks.put(network.with(i, "")); err != nil {
			return err
		}
	}
	return nil
}

// dismiss begins to destroy a member.
func (a *API) dismiss(i instance) error {
	a.depart(a.tables.instances.noun, i.row, &i.transit, destroying, gone, spread(i.Name, 4*time.Second, 9*time.Second))
	return a.tables.instances.put(i)
}

// refill replaces the members that a pool has lost.
func (a *API) refill(id string) error {
	p, ok := a.tables.pools.table.Get(id)
	if !ok || p.State == destroying || int64(len(a.members(id))) >= p.Size {
		return nil
	}
	a.depart(a.tables.pools.noun, p.row, &p.transit, scalingUp, running, poolDelay(p))
	return check(a.tables.pools.put(p), a.recruit(p))
}

// poolDelay is how long a pool takes to start members; they need at most 23 seconds.
func poolDelay(p pool) time.Duration { return spread(p.ID, 25*time.Second, 35*time.Second) }
