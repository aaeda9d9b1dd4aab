package etcd

import (
	"errors"
	"slices"
)

// errSplit is what clients read once two members were made clusters of their own: each has writes that the other one has not.
var errSplit = errors.New("etcdserver: mismatching cluster ID")

// Split marks the members as those of two clusters, for good.
func (c *Members) Split() { c.split.Store(true) }

// HasLeader reports whether a member takes part in a quorum.
func (c *Members) HasLeader(name string) bool {
	return c.IsAlive(name) && c.CheckQuorum() == nil
}

// ForceNewCluster makes a member a cluster of its own, as etcd does with --force-new-cluster: it keeps its ID and its data, and all other
// members are removed. The member must not run.
func (c *Members) ForceNewCluster(name string) error {
	for _, m := range c.List() {
		if m.Name != name {
			if err := c.Delete(m.Name); err != nil {
				return err
			}
		}
	}
	return c.Update(name, func(m *Member) { m.Learner = false })
}

// HasOthers reports whether other members run than that of a node.
func (c *Members) HasOthers(name string) bool {
	return slices.ContainsFunc(c.List(), func(m Member) bool { return m.Name != name && c.IsAlive(m.Name) })
}
