package openshift

import (
	"context"
	"net/netip"

	"exoshift/state"
)

// Observe takes one look at the cluster: at the bootstrap machine, if there is one, and at everything that the API has,
// each kind once. The observation is valid, as far as it goes, beside an error.
func (c *Cluster) Observe(ctx context.Context, _ netip.Addr, _ []state.ExpectedNode) (state.Observation, error) {
	var seen state.Observation
	var err error
	if seen.Bootstrap, err = c.Bootstrap(ctx); err != nil {
		return seen, err
	}
	if seen.Etcd, err = c.Etcd(ctx); err != nil {
		return seen, err
	}
	if seen.Nodes, err = c.Nodes(ctx); err != nil {
		return seen, err
	}
	seen.Version, err = c.Version(ctx)
	return seen, err
}
