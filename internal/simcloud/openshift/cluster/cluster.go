// Package cluster is the state that the machines of a simulated cluster share: its objects, its etcd, its certificates and accounts.
package cluster

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
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/etcd"
	"exoshift/internal/simcloud/scenario"
	"exoshift/internal/simcloud/store"
)

// Cluster is the shared state of one cluster's machines: what etcd stores for them, and which of them are alive.
type Cluster struct {
	Clock   network.Clock
	Faults  scenario.Cluster
	Objects *kube.Objects
	records *store.Table[Record]
	Members *etcd.Members
	// StateRecords is the memory of hasLasted.
	StateRecords *store.Table[StateRecord]
	infraID      string
	Accounts     accounts

	// leader holds one token: its holder runs the controllers.
	leader chan struct{}

	mu      sync.Mutex
	servers map[string]int // API servers, by address
	clients *x509.CertPool // the CAs of client certificates; nil: to be built
	// clientsVersion is the version of the ConfigMap that clients was built from.
	clientsVersion uint64
	// Storage guards the record of Ceph in StateRecords.
	Storage sync.Mutex
	// ServerChanges counts starts and ends of API servers.
	ServerChanges atomic.Uint64
}

// Names in StateRecords: why no member of etcd answers, whatever runs; and that etcd was restored from a snapshot, since when its operator adds
// no member to the only one without being told to.
const (
	EtcdFailure  = "etcd failure"
	EtcdRestored = "etcd restored"
)

// StateRecord is how long something has been in a state.
type StateRecord struct {
	What  string
	State string
	Since time.Time // by the cluster's clock
}

// Record is the state of a cluster besides its objects: what the real one stores in secrets.
type Record struct {
	Domain   string            // <name>.<base domain>
	Version  string            // of OpenShift
	Replicas int               // masters
	Files    map[string][]byte // certificates and keys, by their name on the bootstrap host
}

// Load returns a cluster as the store has it.
func Load(db *store.DB, clock network.Clock, faults scenario.Cluster, infraID string) (*Cluster, error) {
	c := &Cluster{Clock: clock, Faults: faults, infraID: infraID, leader: make(chan struct{}, 1),
		servers: map[string]int{}}
	c.leader <- struct{}{}
	var err error
	if c.records, err = store.Load[Record](db, "openshift/"+infraID+"/record"); err != nil {
		return nil, err
	}
	if c.Members, err = etcd.Load(db, "openshift/"+infraID+"/etcd", clock, faults.SlowDisks); err != nil {
		return nil, err
	}
	if c.StateRecords, err = store.Load[StateRecord](db, "openshift/"+infraID+"/sightings"); err != nil {
		return nil, err
	}
	if failed, has := c.StateRecords.Get(EtcdFailure); has {
		c.Members.Fail(failed.State)
	}
	if c.Objects, err = kube.Load(db, "openshift/"+infraID+"/objects", clock.Now); err != nil {
		return nil, err
	}
	c.Accounts = accounts{objects: c.Objects, clock: clock, key: func() []byte { return c.Record().Files["admin-kubeconfig-signer.key"] }}
	return c, nil
}

// FailEtcd has no member of etcd answer any more, for that reason.
func (c *Cluster) FailEtcd(reason string) error {
	c.Members.Fail(reason)
	return c.StateRecords.Put(EtcdFailure, StateRecord{What: EtcdFailure, State: reason, Since: c.Clock.Now()})
}

// IsUnsafe reports whether nothing is rolled out to so many members of an etcd that was restored from a snapshot: fewer than that of all masters
// are not safe, unless somebody has said that they are. Once all are there, the restoration is forgotten.
func (c *Cluster) IsUnsafe(voters int) (bool, error) {
	const override = "useUnsupportedUnsafeNonHANonProductionUnstableEtcd"
	switch _, restored := c.StateRecords.Get(EtcdRestored); {
	case !restored:
		return false, nil
	case voters >= c.Record().Replicas:
		return false, c.StateRecords.Delete(EtcdRestored)
	}
	operator, _ := c.Objects.Get(EtcdResource, "", "cluster")
	allowed, _ := operator.Map("spec.unsupportedConfigOverrides")[override].(bool)
	return !allowed, nil
}

// ClearState forgets everything but the record, as an etcd with a new disk.
func (c *Cluster) ClearState() error {
	for _, seen := range c.StateRecords.List() {
		if err := c.StateRecords.Delete(seen.What); err != nil {
			return err
		}
	}
	for _, m := range c.Members.List() {
		if err := c.Members.Delete(m.Name); err != nil {
			return err
		}
	}
	return c.Objects.Clear()
}

// Record returns the zero record before the cluster's first API server started.
func (c *Cluster) Record() Record {
	found, _ := c.records.Get(c.infraID)
	return found
}

// SaveRecord replaces the record.
func (c *Cluster) SaveRecord(changed Record) error {
	c.mu.Lock()
	c.clients = nil
	c.mu.Unlock()
	return c.records.Put(c.infraID, changed)
}

// AppsDomain reads the ingress configuration: the domain need not be below the cluster's.
func (c *Cluster) AppsDomain() string {
	ingress, _ := c.Objects.Get("ingresses.config.openshift.io", "", "cluster")
	return cmp.Or(ingress.GetString("spec.domain"), "apps."+c.Record().Domain)
}

// Timestamp returns the cluster's time as objects have it.
func (c *Cluster) Timestamp() string { return c.Clock.Now().UTC().Format(time.RFC3339) }

// WaitScaled waits for something that usually takes so long, on machines of this cluster's speed.
func (c *Cluster) WaitScaled(ctx context.Context, usually time.Duration) error {
	return c.Clock.Sleep(ctx, c.Faults.ScaleDuration(usually))
}

// Poll calls check until it returns true; false if ctx ended.
func (c *Cluster) Poll(ctx context.Context, every time.Duration, check func(context.Context) bool) bool {
	for ctx.Err() == nil {
		if check(ctx) {
			return true
		}
		_ = c.Clock.Sleep(ctx, every)
	}
	return false
}

// Timeout returns 10 seconds; when time is scaled it has a lower limit, for the simulating computer's own speed.
func (c *Cluster) Timeout() time.Duration {
	return max(c.Clock.ToWall(10*time.Second), 2*time.Second)
}

// RunAsLeader calls f on one machine at a time, until ctx ends.
func (c *Cluster) RunAsLeader(ctx context.Context, f func(context.Context)) {
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

// AddServer adds an API server until the returned function is called.
func (c *Cluster) AddServer(address string) func() {
	change := func(by int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ServerChanges.Add(1)
		if c.servers[address] += by; c.servers[address] == 0 {
			delete(c.servers, address)
		}
	}
	change(1)
	return func() { change(-1) }
}

// ListServers returns the addresses of the API servers, in no order.
func (c *Cluster) ListServers() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	addresses := make([]string, 0, len(c.servers))
	for address := range c.servers {
		addresses = append(addresses, address)
	}
	return addresses
}

// ServicePort is the port of the service "kubernetes".
const ServicePort = "443"

// ServiceAddress is the address of the service "kubernetes". Only the cloud controller uses it here.
func (c *Cluster) ServiceAddress() string {
	network, _ := c.Objects.Get("networks.config.openshift.io", "", "cluster")
	for _, cidr := range network.GetStrings("spec.serviceNetwork") {
		if prefix, err := netip.ParsePrefix(cidr); err == nil {
			return prefix.Addr().Next().String()
		}
	}
	return "172.30.0.1"
}

// ListNetworks returns the pod and the service networks.
func (c *Cluster) ListNetworks() []netip.Prefix {
	config, _ := c.Objects.Get("networks.config.openshift.io", "", "cluster")
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

// IsBootstrapHost reports whether a machine is a cluster's bootstrap machine.
func IsBootstrapHost(m machine.Machine) bool {
	_, ok := m.ReadFile("/opt/openshift/install-config.yaml")
	return ok
}

// Names in StateRecords: the release that a cluster is updated to, and the one whose configuration its nodes get. Both are missing before
// the first update.
const (
	TargetRecord = "update"
	ConfigRecord = "update of nodes"
)

// TargetVersion returns the release that the cluster has, or is being updated to.
func (c *Cluster) TargetVersion() string {
	target, _ := c.StateRecords.Get(TargetRecord)
	return cmp.Or(target.State, c.Record().Version)
}

// ConfigVersion returns the release whose configuration nodes get; "" before the first update, when they have that of the installation.
func (c *Cluster) ConfigVersion() string {
	config, _ := c.StateRecords.Get(ConfigRecord)
	return config.State
}
