// Package openshift simulates the OpenShift cluster on the simulated machines: the bootstrap host, masters, other nodes, and the
// controllers that run on them. It follows the phases, objects and messages of the real one, as in releases 4.18 to 4.21.
// Machines communicate over their machine's network only; what the members of etcd replicate is kept per cluster in the zone's
// store, so that a cluster survives closing and reopening the zone.
package openshift

import (
	"context"
	"fmt"
	"sync"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/bootstrap"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/kubelet"
	"exoshift/internal/simcloud/openshift/machineconfig"
	"exoshift/internal/simcloud/scenario"
	"exoshift/internal/simcloud/store"
)

// Clusters holds the clusters of a zone.
type Clusters struct {
	db     *store.DB
	clock  network.Clock
	faults scenario.Cluster

	mu       sync.Mutex
	clusters map[string]*cluster.Cluster
}

// NewClusters returns the clusters that db holds, with the given faults; they start with their machines.
func NewClusters(db *store.DB, clock network.Clock, faults scenario.Cluster) *Clusters {
	return &Clusters{db: db, clock: clock, faults: faults, clusters: map[string]*cluster.Cluster{}}
}

// RunSoftware runs the software of a machine after Ignition; the files on its disk decide whether it is the bootstrap host, a
// node, or neither.
func (w *Clusters) RunSoftware(ctx context.Context, m machine.Machine) {
	if cluster.IsBootstrapHost(m) {
		bootstrap.Run(ctx, m, w.clock, w.getCluster)
		return
	}
	if machineconfig.IsNode(m) {
		kubelet.Run(ctx, m, w.getCluster)
	}
}

func (w *Clusters) getCluster(infraID string) (*cluster.Cluster, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if found, ok := w.clusters[infraID]; ok {
		return found, nil
	}
	loaded, err := cluster.Load(w.db, w.clock, w.faults, infraID)
	if err != nil {
		return nil, fmt.Errorf("load the cluster %s: %w", infraID, err)
	}
	w.clusters[infraID] = loaded
	return loaded, nil
}
