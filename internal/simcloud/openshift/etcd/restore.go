package etcd

import (
	"slices"
)

// SplitBrain is what clients read once two members were made clusters of their own: each has writes that the other one has not.
const SplitBrain = "etcdserver: mismatching cluster ID"

// Fail has no member answer any more, for that reason.
func (c *Members) Fail(reason string) { c.failure.Store(&reason) }

// HasLeader reports whether a member takes part in a quorum.
func (c *Members) HasLeader(name string) bool {
	return c.IsAlive(name) && c.CheckQuorum() == nil
}

// ForceNewCluster makes a member a cluster of its own, as etcd does with --force-new-cluster: it keeps its ID and its data, and all other
// members are removed. The member must not run.
func (c *Members) ForceNewCluster(name string) error {
	if err := c.deleteOthers(name); err != nil {
		return err
	}
	return c.Update(name, func(m *Member) { m.Learner = false })
}

// RestoreSnapshot makes a cluster of one new member, as etcd does of a snapshot: all other members are removed, and the member gets another ID.
// None may run.
func (c *Members) RestoreSnapshot(name, address string) (Member, error) {
	if err := c.deleteOthers(name); err != nil {
		return Member{}, err
	}
	made := Member{Name: name, ID: computeMemberID(name, address, c.clock.Now()), Address: address, Started: true}
	c.failure.Store(nil)
	return made, c.Put(name, made)
}

func (c *Members) deleteOthers(name string) error {
	for _, m := range c.List() {
		if m.Name == name {
			continue
		}
		if err := c.Delete(m.Name); err != nil {
			return err
		}
	}
	return nil
}

// HasOthers reports whether other members run than that of a node.
func (c *Members) HasOthers(name string) bool {
	return slices.ContainsFunc(c.List(), func(m Member) bool { return m.Name != name && c.IsAlive(m.Name) })
}

// FormatDiskRecord returns the name of the record of a machine's disk that has failed: nothing of etcd can be written to it.
func FormatDiskRecord(machineID string) string { return "etcd disk of " + machineID }
