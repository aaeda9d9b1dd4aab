package nodes

import (
	"context"

	"exoshift/provisioner/nodes"
	"exoshift/state"
)

// NewOptions returns what carries out a change of nodes that make room for others: these are made as an installation makes them.
func NewOptions(ctx context.Context, c Cluster, install Installer, journal state.Recorder, facts *state.FactsStore) (options nodes.Options, err error) {
	r, err := c.openRun(ctx, install)
	if err != nil {
		return options, err
	}
	return nodes.Options{Verb: "replace", Journal: journal, Commit: c.newCommit(facts), Add: c.newAdd(r, journal, facts)}, nil
}
