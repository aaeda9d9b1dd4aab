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
	use := func() error { return useCluster(do)(nodes.Open(ctx, o.Host, folder)) }
	if !changes {
		return use()
	}
	return clusterdir.WithLock(ctx, folder, use)
}

// WithKeptCluster opens the cluster that the options name to read what is kept of it, also after it was destroyed.
func WithKeptCluster(ctx context.Context, o Options, do func(nodes.Cluster) error) error {
	folder, err := openFolder(o)
	if err != nil {
		return err
	}
	return useCluster(do)(nodes.OpenKept(ctx, o.Host, folder))
}

func useCluster(do func(nodes.Cluster) error) func(nodes.Cluster, error) error {
	return func(cluster nodes.Cluster, err error) error {
		if err != nil {
			return err
		}
		err = do(cluster)
		return errors.Join(err, cluster.Close())
	}
}

func openFolder(o Options) (state.Folder, error) {
	if o.Private != nil {
		return *o.Private, nil
	}
	return clusterdir.Find(o.Dir)
}
