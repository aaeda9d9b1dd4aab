package cluster

import "cmp"

// Names in StateRecords: the release that a cluster is updated to, and the one whose configuration its nodes get. Both are missing before
// the first update.
const (
	TargetRecord = "update"
	ConfigRecord = "update of nodes"
)

// TargetVersion returns the release that the cluster has, or is being updated to.
func (c *Cluster) TargetVersion() string {
	target, _ := c.StateRecords.Get(TargetRecord)
	return cmp.Or(target.State, c.Record().Version)
}

// ConfigVersion returns the release whose configuration nodes get; "" before the first update, when they have that of the installation.
func (c *Cluster) ConfigVersion() string {
	config, _ := c.StateRecords.Get(ConfigRecord)
	return config.State
}
