package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"exoshift/state"
	"exoshift/state/lease"
)

// SharedCluster is a cluster where --state keeps its folder.
type SharedCluster struct {
	ID     string
	Holder *lease.Holder // nil: nobody works on it
}

// ListShared returns the clusters that --state names.
func ListShared(ctx context.Context, o Options, std Streams) ([]SharedCluster, error) {
	if !o.State.IsShared() {
		return listFolders(o.State.Folders), nil
	}
	net, err := o.OpenNetwork(ctx)
	if err != nil {
		return nil, err
	}
	place, end, err := NewAccess(*o.State, net, std).Open(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	ids, err := place.List(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]SharedCluster, len(ids))
	for n, id := range ids {
		record, err := place.ReadLease(ctx, id)
		if err != nil {
			return nil, fmt.Errorf("list the clusters in shared state: %w", err)
		}
		all[n] = SharedCluster{id, record.Holder}
	}
	return all, nil
}

// listFolders returns the clusters in a folder of this machine.
func listFolders(path string) []SharedCluster {
	var all []SharedCluster
	files, _ := filepath.Glob(filepath.Join(path, "*", state.AnswersFile)) // no folder has none
	for _, file := range files {
		all = append(all, SharedCluster{ID: filepath.Base(filepath.Dir(file))})
	}
	return all
}
