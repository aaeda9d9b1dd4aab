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

// cluster is the shared state of one cluster's machines: what etcd stores for them, and which of them are alive.
type cluster struct {
	clock   network.Clock
	faults  Faults
	objects *kube.Objects
	records *store.Table[record]
	members *store.Table[member]
	// stateRecords is the memory of hasLasted.
	stateRecords *store.Table[stateRecord]
	infraID      string

	// leader holds one token: its holder runs the controllers.
	leader chan struct{}

	mu      sync.Mutex
	alive   map[string]machine.Machine // running members of etcd, by name
	servers map[string]int             // API servers, by address
	clients *x509.CertPool             // the CAs of client certificates; nil: to be built
	// clientsVersion is the version of the ConfigMap that clients was built from.
	clientsVersion uint64
	// processes counts starts and ends of etcd members and API servers.
	processes atomic.Uint64
}

// record is the state of a cluster besides its objects: what the real one stores in secrets.
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

// record returns the zero record before the cluster's first API server started.
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

// getAppsDomain reads the ingress configuration: the domain need not be below the cluster's.
func (c *cluster) getAppsDomain() string {
	ingress, _ := c.objects.Get("ingresses.config.openshift.io", "", "cluster")
	return cmp.Or(ingress.GetString("spec.domain"), "apps."+c.record().Domain)
}

func (c *cluster) now() string { return c.clock.Now().UTC().Format(time.RFC3339) }

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
