package cli

import (
	"context"
	"errors"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/nodes"
	"exoshift/state"
)

// WithCluster opens the installed cluster that the options name, for itself alone if it is changed.
func WithCluster(ctx context.Context, o Options, changes bool, do func(nodes.Cluster) error) (err error) {
	folder, err := openFolder(o)
	if err != nil {
		return err
	}
	if changes {
		unlock, err := folder.Lock(ctx)
		if err != nil {
			return err
		}
		defer unlock()
	}
	cluster, err := nodes.Open(ctx, o.Host, folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	return do(cluster)
}

func openFolder(o Options) (state.Folder, error) {
	if o.Private != nil {
		return *o.Private, nil
	}
	return clusterdir.Find(o.Dir)
}
