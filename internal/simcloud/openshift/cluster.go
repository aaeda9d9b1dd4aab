package openshift

import (
	"cmp"
	"context"
	"crypto/x509"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/store"
)

// cluster is the shared state of one cluster's machines: what etcd stores for them, and which of them are alive.
type cluster struct {
	clock   network.Clock
	faults  Faults
	objects *kube.Objects
	records *store.Table[record]
	members *members
	// stateRecords is the memory of hasLasted.
	stateRecords *store.Table[stateRecord]
	infraID      string
	accounts     accounts

	// leader holds one token: its holder runs the controllers.
	leader chan struct{}

	mu      sync.Mutex
	servers map[string]int // API servers, by address
	clients *x509.CertPool // the CAs of client certificates; nil: to be built
	// clientsVersion is the version of the ConfigMap that clients was built from.
	clientsVersion uint64
	// serverChanges counts starts and ends of API servers.
	serverChanges atomic.Uint64
}

// stateRecord is how long something has been in a state.
type stateRecord struct {
	What  string
	State string
	Since time.Time // by the cluster's clock
}

// record is the state of a cluster besides its objects: what the real one stores in secrets.
type record struct {
	Domain   string            // <name>.<base domain>
	Version  string            // of OpenShift
	Replicas int               // masters
	Files    map[string][]byte // certificates and keys, by their name on the bootstrap host
}

func loadCluster(db *store.DB, clock network.Clock, faults Faults, infraID string) (*cluster, error) {
	c := &cluster{clock: clock, faults: faults, infraID: infraID, leader: make(chan struct{}, 1),
		servers: map[string]int{}}
	c.leader <- struct{}{}
	var err error
	if c.records, err = store.Load[record](db, "openshift/"+infraID+"/record"); err != nil {
		return nil, err
	}
	if c.members, err = loadMembers(db, "openshift/"+infraID+"/etcd", clock, faults.SlowDisks); err != nil {
		return nil, err
	}
	if c.stateRecords, err = store.Load[stateRecord](db, "openshift/"+infraID+"/sightings"); err != nil {
		return nil, err
	}
	if c.objects, err = kube.Load(db, "openshift/"+infraID+"/objects", clock.Now); err != nil {
		return nil, err
	}
	c.accounts = accounts{objects: c.objects, clock: clock, key: func() []byte { return c.record().Files["admin-kubeconfig-signer.key"] }}
	return c, nil
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

// waitScaled waits for something that usually takes so long, on machines of this cluster's speed.
func (c *cluster) waitScaled(ctx context.Context, usually time.Duration) error {
	return c.clock.Sleep(ctx, c.faults.scaleDuration(usually))
}

// poll calls check until it returns true; false if ctx ended.
func (c *cluster) poll(ctx context.Context, every time.Duration, check func(context.Context) bool) bool {
	for ctx.Err() == nil {
		if check(ctx) {
			return true
		}
		_ = c.clock.Sleep(ctx, every)
	}
	return false
}

// getTimeout returns 10 seconds; when time is scaled it has a lower limit, for the simulating computer's own speed.
func (c *cluster) getTimeout() time.Duration {
	return max(c.clock.ToWall(10*time.Second), 2*time.Second)
}

// runAsLeader calls f on one machine at a time, until ctx ends.
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
		c.serverChanges.Add(1)
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

// servicePort is the port of the service "kubernetes".
const servicePort = "443"

// serviceAddress is the address of the service "kubernetes". Only the cloud controller uses it here.
func (c *cluster) serviceAddress() string {
	network, _ := c.objects.Get("networks.config.openshift.io", "", "cluster")
	for _, cidr := range network.GetStrings("spec.serviceNetwork") {
		if prefix, err := netip.ParsePrefix(cidr); err == nil {
			return prefix.Addr().Next().String()
		}
	}
	return "172.30.0.1"
}

// listNetworks returns the pod and the service networks.
func (c *cluster) listNetworks() []netip.Prefix {
	config, _ := c.objects.Get("networks.config.openshift.io", "", "cluster")
	var found []netip.Prefix
	for _, cidr := range append(config.GetStrings("spec.serviceNetwork"), parsePodNetworks(config)...) {
		if prefix, err := netip.ParsePrefix(cidr); err == nil {
			found = append(found, prefix)
		}
	}
	return found
}

func parsePodNetworks(config kube.Object) []string {
	var found []string
	for _, part := range config.List("spec.clusterNetwork") {
		found = append(found, part.GetString("cidr"))
	}
	return found
}
