package openshift

import (
	"cmp"
	"context"
	"crypto/x509"
	"sync"
	"sync/atomic"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/store"
)

// cluster is what the machines of one cluster share because etcd keeps it for them, and who of them is alive.
type cluster struct {
	clock   network.Clock
	faults  Faults
	objects *kube.Objects
	records *store.Table[record]
	members *store.Table[member]
	// sightings are what the controllers remember.
	stateRecords *store.Table[stateRecord]
	infraID      string

	// leader holds one token: whoever has it runs the controllers.
	leader chan struct{}

	mu      sync.Mutex
	alive   map[string]machine.Machine // running members of etcd, by name
	servers map[string]int             // API servers, by address
	clients *x509.CertPool             // whom the API servers believe; nil: to be made
	// clientsVersion is the version of the ConfigMap that clients are of.
	clientsVersion uint64
	// processes counts how often a member of etcd or an API server started or ended.
	processes atomic.Uint64
}

// record is what a cluster knows of itself besides its objects: what the real one keeps in secrets.
type record struct {
	Domain   string            // <name>.<base domain>
	Version  string            // of OpenShift
	Replicas int               // masters
	Files    map[string][]byte // certificates and keys, by their name on the bootstrap host
}

func loadCluster(db *store.DB, clock network.Clock, troubles Faults, infraID string) (*cluster, error) {
	c := &cluster{clock: clock, faults: troubles, infraID: infraID, leader: make(chan struct{}, 1),
		alive: map[string]machine.Machine{}, servers: map[string]int{}}
	c.leader <- struct{}{}
	var err error
	if c.records, err = store.Load[record](db, "openshift/"+infraID+"/record"); err != nil {
		return nil, err
	}
	if c.members, err = store.Load[member](db, "openshift/"+infraID+"/etcd"); err != nil {
		return nil, err
	}
	if c.stateRecords, err = store.Load[stateRecord](db, "openshift/"+infraID+"/sightings"); err != nil {
		return nil, err
	}
	c.objects, err = kube.Load(db, "openshift/"+infraID+"/objects", clock.Now)
	return c, err
}

// clearState empties etcd.
func (c *cluster) clearState() error {
	for _, seen := range c.stateRecords.List() {
		if err := c.stateRecords.Delete(seen.What); err != nil {
			return err
		}
	}
	for _, m := range c.members.List() {
		if err := c.members.Delete(m.Name); err != nil {
			return err
		}
	}
	return c.objects.Clear()
}

// record returns what is known of the cluster; the zero record before its first API server started.
func (c *cluster) record() record {
	found, _ := c.records.Get(c.infraID)
	return found
}

func (c *cluster) saveRecord(changed record) error {
	c.mu.Lock()
	c.clients = nil
	c.mu.Unlock()
	return c.records.Put(c.infraID, changed)
}

// getAppsDomain is where the routes of the release itself are: what the configuration of the ingress says, which may be
// anywhere.
func (c *cluster) getAppsDomain() string {
	ingress, _ := c.objects.Get("ingresses.config.openshift.io", "", "cluster")
	return cmp.Or(ingress.GetString("spec.domain"), "apps."+c.record().Domain)
}

func (c *cluster) now() string { return c.clock.Now().UTC().Format(time.RFC3339) }

// runAsLeader runs f while this machine is the one that leads, as often as it becomes so, until ctx ends.
func (c *cluster) runAsLeader(ctx context.Context, f func(context.Context)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.leader:
			f(ctx)
			c.leader <- struct{}{}
		}
	}
}

// addServer notes that an API server runs at an address; the returned function takes that back.
func (c *cluster) addServer(address string) func() {
	change := func(by int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.processes.Add(1)
		if c.servers[address] += by; c.servers[address] == 0 {
			delete(c.servers, address)
		}
	}
	change(1)
	return func() { change(-1) }
}

func (c *cluster) listServers() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	addresses := make([]string, 0, len(c.servers))
	for address := range c.servers {
		addresses = append(addresses, address)
	}
	return addresses
}
