package api

import (
	"crypto/rand"
	"strings"
	"time"
)

// listMembers excludes instances that are being destroyed.
func (a *API) listMembers(pool string) []instance {
	return a.tables.instances.filter(func(i instance) bool { return i.Pool == pool && i.State != destroying })
}

func (a *API) createMembers(p pool) error {
	for range p.Size - int64(len(a.listMembers(p.ID))) {
		member := p.Member
		member.Name = generateMemberName(p)
		i, err := a.newInstance(p.Zone, member)
		if err != nil {
			return err
		}
		i.Pool = p.ID
		if err := check(a.tables.instances.put(i), a.attachMemberResources(p, i)); err != nil {
			return err
		}
	}
	return nil
}

// generateMemberName returns the prefix, five characters of the pool, five of the instance.
func generateMemberName(p pool) string {
	return p.Prefix + "-" + p.ID[:5] + "-" + strings.ToLower(rand.Text())[:5]
}

// attachMemberResources attaches the elastic IPs and networks of the pool.
func (a *API) attachMemberResources(p pool, i instance) error {
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

func (a *API) removeMember(i instance) error {
	a.setTransition(a.tables.instances.noun, i.row, &i.transition, destroying, destroyed, spreadDuration(i.Name, 4*time.Second, 9*time.Second))
	return a.tables.instances.put(i)
}

func (a *API) replaceLostMembers(id string) error {
	p, ok := a.tables.pools.table.Get(id)
	if !ok || p.State == destroying || int64(len(a.listMembers(id))) >= p.Size {
		return nil
	}
	a.setTransition(a.tables.pools.noun, p.row, &p.transition, scalingUp, running, computePoolDelay(p))
	return check(a.tables.pools.put(p), a.createMembers(p))
}

// computePoolDelay returns the duration of starting members; they need at most 23 seconds.
func computePoolDelay(p pool) time.Duration {
	return spreadDuration(p.ID, 25*time.Second, 35*time.Second)
}
