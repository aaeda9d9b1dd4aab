// Package etcd is the etcd of a simulated cluster: its members, which of them run, and whether they have a quorum.
package etcd

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/hostnet"
	"exoshift/internal/simcloud/store"
)

// DataFile on a member's disk holds the ID of the member that owns the data.
const DataFile = "/var/lib/etcd/member"

// StoppedManifest is where disable-etcd.sh parks the manifest of a master's member: while it is there, the member does not run.
const StoppedManifest = "/home/core/assets/manifests-stopped/etcd-pod.yaml"

// IsStopped reports whether the member of a machine was stopped by disable-etcd.sh or quorum-restore.sh.
func IsStopped(m machine.Machine) bool {
	content, _ := m.ReadFile(StoppedManifest)
	return len(content) > 0
}

// BootstrapMember is the name of the member on the bootstrap machine.
const BootstrapMember = "etcd-bootstrap"

// ListSecrets returns the names of the Secrets with the certificates of the member on a node, in the namespace openshift-etcd.
func ListSecrets(node string) []string {
	return []string{"etcd-peer-" + node, "etcd-serving-" + node, "etcd-serving-metrics-" + node}
}

// HostnamesAnnotation of such a Secret is for whom its certificate is.
const HostnamesAnnotation = "auth.openshift.io/certificate-hostnames"

// Member is a member of etcd.
type Member struct {
	Name    string // of the node
	ID      string // hex
	Address string
	Learner bool
	Started bool // it has run at least once
}

// displayName: a member has no name of its own before it has started.
func (m Member) displayName() string {
	if !m.Started {
		return "NAME-PENDING-" + m.Address
	}
	return m.Name
}

// computeMemberID depends on the time, as in reality: another member of the same name and address has another ID.
func computeMemberID(name, address string, added time.Time) string {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name + "/" + address + "/" + added.UTC().Format(time.RFC3339))) // never fails
	return strconv.FormatUint(hash.Sum64(), 16)
}

// Members are the members of a cluster's etcd, and which of them run.
type Members struct {
	*store.Table[Member]
	clock     network.Clock
	slowDisks bool // the members are without a leader now and then

	mu    sync.Mutex
	alive map[string]machine.Machine // running members, by name
	// changes counts starts and ends of members.
	changes atomic.Uint64
	// failure is why no member answers, whatever runs; nil: there is none. Only a restored snapshot ends it.
	failure atomic.Pointer[string]
}

// Load returns the members in a table of the store; none runs yet.
func Load(db *store.DB, name string, clock network.Clock, slowDisks bool) (*Members, error) {
	table, err := store.Load[Member](db, name)
	return &Members{Table: table, clock: clock, slowDisks: slowDisks, alive: map[string]machine.Machine{}}, err
}

// CountChanges counts starts and ends of members.
func (c *Members) CountChanges() uint64 { return c.changes.Load() }

// Add adds a learner; the first member is a voter at once.
func (c *Members) Add(name, address string) (Member, error) {
	added := Member{Name: name, ID: computeMemberID(name, address, c.clock.Now()), Address: address, Learner: len(c.List()) > 0}
	return added, c.Put(name, added)
}

// Update changes a member.
func (c *Members) Update(name string, change func(*Member)) error {
	changed, ok := c.Get(name)
	if !ok {
		return fmt.Errorf("etcd has no member %s", name)
	}
	change(&changed)
	return c.Put(name, changed)
}

// Run keeps a member on a machine running until ctx ends, or the member is removed or stopped.
func (c *Members) Run(ctx context.Context, name string, m machine.Machine) {
	c.mu.Lock()
	c.alive[name] = m
	c.mu.Unlock()
	c.changes.Add(1)
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.alive, name)
		c.changes.Add(1)
	}()
	for ctx.Err() == nil {
		if _, ok := c.Get(name); !ok {
			m.Console("etcd: the member has been permanently removed from the cluster")
			return
		}
		if IsStopped(m) {
			m.Console("etcd: received signal; shutting down: terminated")
			return
		}
		_ = c.clock.Sleep(ctx, 10*time.Second)
	}
}

// IsAlive reports whether a member runs.
func (c *Members) IsAlive(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.alive[name]
	return ok
}

// ListAlive returns the machines of the running members, by name.
func (c *Members) ListAlive() map[string]machine.Machine {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.alive)
}

var errNoQuorum = errors.New("etcdserver: no leader")

// CheckQuorum returns nil if most voting members run and have a leader.
func (c *Members) CheckQuorum() error {
	if reason := c.failure.Load(); reason != nil {
		return errors.New(*reason)
	}
	voters, running := 0, 0
	for _, m := range c.List() {
		if m.Learner {
			continue
		}
		voters++
		if c.IsAlive(m.Name) {
			running++
		}
	}
	if 2*running <= voters {
		return errNoQuorum
	}
	if c.isElecting() {
		return errLeaderLost
	}
	return nil
}

// How often and for how long the members have no leader because heartbeats on slow disks are late.
const (
	electionInterval = 4 * time.Minute
	electionTime     = 8 * time.Second
)

var errLeaderLost = errors.New("etcdserver: leader changed")

// isElecting reports whether the members have no leader now because of slow disks. A single member needs no election.
func (c *Members) isElecting() bool {
	if !c.slowDisks || len(c.List()) < 2 {
		return false
	}
	return time.Duration(c.clock.Now().UnixNano())%electionInterval < electionTime
}

// CheckPeers checks the connections between a member's peer port and those of every living member, in both directions.
func (c *Members) CheckPeers(ctx context.Context, of Member, timeout time.Duration) error {
	alive := c.ListAlive()
	own, ok := alive[of.Name]
	if !ok {
		return fmt.Errorf("%s is not running", of.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(alive)) {
		if name == of.Name {
			continue
		}
		if err := CheckPeer(ctx, timeout, alive[name], of.Address); err != nil {
			return fmt.Errorf("%s cannot reach %s: %w", name, of.Name, err)
		}
		if err := CheckPeer(ctx, timeout, own, alive[name].Address().String()); err != nil {
			return fmt.Errorf("%s cannot reach %s: %w", of.Name, name, err)
		}
	}
	return nil
}

// Ports of a member.
const (
	clientPort = 2379
	PeerPort   = 2380
)

// CheckPeer connects to the peer port of a member.
func CheckPeer(ctx context.Context, timeout time.Duration, from machine.Machine, address string) error {
	return hostnet.CheckPort(ctx, timeout, from, address, PeerPort)
}

// OpenPorts listens on both ports of a member until the returned function is called. The connections serve reachability
// checks only; they carry no data.
func OpenPorts(m machine.Machine) (func(), error) {
	var listeners []net.Listener
	closeAll := func() {
		for _, listener := range listeners {
			_ = listener.Close()
		}
	}
	for _, port := range []int{clientPort, PeerPort} {
		listener, err := m.Listen(port)
		if err != nil {
			closeAll()
			return nil, err
		}
		listeners = append(listeners, listener)
		go rejectConnections(listener)
	}
	return closeAll, nil
}

func rejectConnections(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		_ = conn.Close()
	}
}

// Status is what is known of the members at one moment.
type Status struct {
	Members   []Member
	available int
	Problems  []string // "NAME has not started", "NAME is unhealthy"
}

// GetStatus returns the members' status.
func (c *Members) GetStatus() Status {
	status := Status{Members: c.List()}
	for _, m := range status.Members {
		switch {
		case !m.Started:
			status.Problems = append(status.Problems, m.displayName()+" has not started")
		case !c.IsAlive(m.Name):
			status.Problems = append(status.Problems, m.displayName()+" is unhealthy")
		default:
			status.available++
		}
	}
	return status
}

// FormatMessage returns the message of the etcd operator.
func (s Status) FormatMessage() string {
	if len(s.Problems) == 0 {
		return fmt.Sprintf("%d members are available", s.available)
	}
	return fmt.Sprintf("%d of %d members are available, %s", s.available, len(s.Members), strings.Join(s.Problems, ", "))
}

// ListVoters returns the voting members on masters.
func (s Status) ListVoters() []Member {
	var voters []Member
	for _, m := range s.Members {
		if !m.Learner && m.Name != BootstrapMember {
			voters = append(voters, m)
		}
	}
	return voters
}

// FindLearner returns the first learner.
func (s Status) FindLearner() (Member, bool) {
	for _, m := range s.Members {
		if m.Learner {
			return m, true
		}
	}
	return Member{}, false
}

// Has reports whether there is a member of that name.
func (s Status) Has(name string) bool {
	return slices.ContainsFunc(s.Members, func(m Member) bool { return m.Name == name })
}
