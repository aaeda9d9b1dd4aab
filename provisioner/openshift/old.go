package openshift

import (
	"context"
	"net/netip"

	"exoshift/state"
)

// Bootstrap looks how far the bootstrap is.
func (c *Cluster) Bootstrap(ctx context.Context) (state.BootstrapStatus, error) {
	seen, err := c.Observe(ctx, netip.Addr{}, nil)
	return seen.Bootstrap, err
}

// Etcd looks at etcd's members.
func (c *Cluster) Etcd(ctx context.Context) (state.EtcdStatus, error) {
	seen, err := c.Observe(ctx, netip.Addr{}, nil)
	return seen.Etcd, err
}

// Nodes lists the nodes that have registered, in the order of their names.
func (c *Cluster) Nodes(ctx context.Context) ([]state.NodeStatus, error) {
	seen, err := c.Observe(ctx, netip.Addr{}, nil)
	return seen.Nodes, err
}

// Version looks at the cluster version and the operators; the zero status before they exist.
func (c *Cluster) Version(ctx context.Context) (state.VersionStatus, error) {
	seen, err := c.Observe(ctx, netip.Addr{}, nil)
	return seen.Version, err
}
