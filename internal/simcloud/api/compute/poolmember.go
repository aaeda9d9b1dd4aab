package compute

import (
	"crypto/rand"
	"strings"
	"time"

	"exoshift/internal/simcloud/api/instance"
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

func (s *Pools) createMembers(p instance.Pool) error {
	for range p.Size - int64(len(s.tables.Members(p.ID))) {
		member := p.Member
		member.Name = generateMemberName(p)
		i, err := s.launcher.create(p.Zone, member)
		if err != nil {
			return err
		}
		i.Pool = p.ID
		if err := rest.FirstError(s.tables.Instances.Put(i), s.attachResources(p, i)); err != nil {
			return err
		}
	}
	return nil
}

// generateMemberName returns the prefix, five characters of the pool, five of the instance.
func generateMemberName(p instance.Pool) string {
	return p.Prefix + "-" + p.ID[:5] + "-" + strings.ToLower(rand.Text())[:5]
}

// attachResources attaches the elastic IPs and networks of the pool.
func (s *Pools) attachResources(p instance.Pool, i instance.Instance) error {
	for _, id := range p.ElasticIPs {
		if err := s.networking.ElasticIPs.Attach(id, i.ID); err != nil {
			return err
		}
	}
	for _, id := range p.Networks {
		if err := s.networking.PrivateNetworks.Attach(id, i); err != nil {
			return err
		}
	}
	return nil
}

func (s *Pools) removeMember(i instance.Instance) error {
	s.tables.Instances.SetTransition(&i, resource.Destroying, resource.Destroyed, resource.SpreadDuration(i.Name, 4*time.Second, 9*time.Second))
	return s.tables.Instances.Put(i)
}

func (s *Pools) replaceLost(id string) error {
	p, ok := s.tables.Pools.Lookup(id)
	if !ok || p.State == resource.Destroying || int64(len(s.tables.Members(id))) >= p.Size {
		return nil
	}
	s.tables.Pools.SetTransition(&p, scalingUp, resource.Running, computeStartDelay(p))
	return rest.FirstError(s.tables.Pools.Put(p), s.createMembers(p))
}

// computeStartDelay returns the duration of starting members; they need at most 23 seconds.
func computeStartDelay(p instance.Pool) time.Duration {
	return resource.SpreadDuration(p.ID, 25*time.Second, 35*time.Second)
}
