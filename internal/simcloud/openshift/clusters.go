// Package openshift simulates the OpenShift cluster on the simulated machines: the bootstrap host, masters, other nodes, and the
// controllers that run on them. It follows the phases, objects and messages of the real one, as in releases 4.18 to 4.21.
// Machines communicate over their machine's network only; what the members of etcd replicate is kept per cluster in the zone's
// store, so that a cluster survives closing and reopening the zone.
package openshift

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/store"
)

// Clusters holds the clusters of a zone.
type Clusters struct {
	db     *store.DB
	clock  network.Clock
	faults Faults

	mu       sync.Mutex
	clusters map[string]*cluster
}

// NewClusters returns the clusters that db holds, with the given faults; they start with their machines.
func NewClusters(db *store.DB, clock network.Clock, faults Faults) *Clusters {
	return &Clusters{db: db, clock: clock, faults: faults, clusters: map[string]*cluster{}}
}

// RunSoftware runs the software of a machine after Ignition; the files on its disk decide whether it is the bootstrap host, a
// node, or neither.
func (w *Clusters) RunSoftware(ctx context.Context, m machine.Machine) {
	if _, ok := m.ReadFile(optOpenShift + "install-config.yaml"); ok {
		runBootstrap(ctx, m, w.clock, w.getCluster)
		return
	}
	if _, ok := m.ReadFile(machineConfigFile); ok {
		runNode(ctx, m, w.getCluster)
	}
}

const (
	optOpenShift      = "/opt/openshift/"
	machineConfigFile = "/etc/mcs-machine-config-content.json" // what the machine config server gave the machine
	bootstrapAccess   = "/etc/kubernetes/kubeconfig"           // of the node bootstrapper
	hostnameFile      = "/etc/hostname"
	osReleaseFile     = "/etc/os-release"
	pivotedFile       = "/etc/machine-config-daemon/currentconfig" // a dot for each completed step of the pivot
	etcdDataFile      = "/var/lib/etcd/member"                     // the ID of the member that owns the data
)

func (w *Clusters) getCluster(infraID string) (*cluster, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if found, ok := w.clusters[infraID]; ok {
		return found, nil
	}
	loaded, err := loadCluster(w.db, w.clock, w.faults, infraID)
	if err != nil {
		return nil, fmt.Errorf("load the cluster %s: %w", infraID, err)
	}
	w.clusters[infraID] = loaded
	return loaded, nil
}

type machineConfig struct {
	Role    string `json:"role"`
	InfraID string `json:"infraID"`
	Version string `json:"version"` // of OpenShift
	// Rendered is the name of the rendered configuration of the machine's role.
	Rendered string `json:"rendered,omitempty"`
	// ExternalCloud: nodes start tainted until a cloud controller has initialized them.
	ExternalCloud bool `json:"externalCloud"`
}

func readMachineConfig(m machine.Machine) (machineConfig, error) {
	var config machineConfig
	content, _ := m.ReadFile(machineConfigFile)
	err := json.Unmarshal(content, &config)
	return config, err
}

// RemoveMember removes the member of that name from every cluster's etcd, as an administrator does with etcdctl.
func (w *Clusters) RemoveMember(name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.clusters {
		if err := c.members.Delete(name); err != nil {
			return fmt.Errorf("remove the member %s: %w", name, err)
		}
	}
	return nil
}
