package openshift

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/hostnet"
)

const bootstrapMember = "etcd-bootstrap"

type member struct {
	Name    string // of the node
	ID      string // hex
	Address string
	Learner bool
	Started bool // it has run at least once
}

// displayName: a member has no name of its own before it has started.
func (m member) displayName() string {
	if !m.Started {
		return "NAME-PENDING-" + m.Address
	}
	return m.Name
}

func computeMemberID(name, address string) string {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name + "/" + address)) // never fails
	return strconv.FormatUint(hash.Sum64(), 16)
}

// addMember adds a learner; the first member is a voter at once.
func (c *cluster) addMember(name, address string) (member, error) {
	added := member{Name: name, ID: computeMemberID(name, address), Address: address, Learner: len(c.members.List()) > 0}
	return added, c.members.Put(name, added)
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

func (c *cluster) updateMember(name string, change func(*member)) error {
	changed, ok := c.members.Get(name)
	if !ok {
		return fmt.Errorf("etcd has no member %s", name)
	}
	change(&changed)
	return c.members.Put(name, changed)
}

func (c *cluster) run(ctx context.Context, name string, m machine.Machine) {
	c.mu.Lock()
	c.alive[name] = m
	c.mu.Unlock()
	c.processes.Add(1)
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.alive, name)
		c.processes.Add(1)
	}()
	for ctx.Err() == nil {
		if _, ok := c.members.Get(name); !ok {
			m.Console("etcd: the member has been permanently removed from the cluster")
			return
		}
		_ = c.clock.Sleep(ctx, 10*time.Second)
	}
}

func (c *cluster) isAlive(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.alive[name]
	return ok
}

func (c *cluster) listAliveMembers() map[string]machine.Machine {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.alive)
}

var errNoQuorum = errors.New("etcdserver: no leader")

func (c *cluster) checkQuorum() error {
	voters, running := 0, 0
	for _, m := range c.members.List() {
		if m.Learner {
			continue
		}
		voters++
		if c.isAlive(m.Name) {
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

// checkPeers checks the connections between a member's peer port and those of every living member, in both directions.
func (c *cluster) checkPeers(ctx context.Context, of member) error {
	alive := c.listAliveMembers()
	own, ok := alive[of.Name]
	if !ok {
		return fmt.Errorf("%s is not running", of.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(alive)) {
		if name == of.Name {
			continue
		}
		if err := checkPeer(ctx, c, alive[name], of.Address); err != nil {
			return fmt.Errorf("%s cannot reach %s: %w", name, of.Name, err)
		}
		if err := checkPeer(ctx, c, own, alive[name].Address().String()); err != nil {
			return fmt.Errorf("%s cannot reach %s: %w", of.Name, name, err)
		}
	}
	return nil
}

const (
	clientPort = 2379
	peerPort   = 2380
)

func checkPeer(ctx context.Context, c *cluster, from machine.Machine, address string) error {
	return hostnet.CheckPort(ctx, c.getTimeout(), from, address, peerPort)
}

// getTimeout returns 10 seconds; when time is scaled it has a lower limit, for the simulating computer's own speed.
func (c *cluster) getTimeout() time.Duration {
	return max(c.clock.ToWall(10*time.Second), 2*time.Second)
}

// openEtcdPorts listens on both ports of a member until the returned function is called. The connections serve reachability
// checks only; they carry no data.
func openEtcdPorts(m machine.Machine) (func(), error) {
	var listeners []net.Listener
	closeAll := func() {
		for _, listener := range listeners {
			_ = listener.Close()
		}
	}
	for _, port := range []int{clientPort, peerPort} {
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

type etcdStatus struct {
	members   []member
	available int
	problems  []string // "NAME has not started", "NAME is unhealthy"
}

func (c *cluster) getEtcdStatus() etcdStatus {
	status := etcdStatus{members: c.members.List()}
	for _, m := range status.members {
		switch {
		case !m.Started:
			status.problems = append(status.problems, m.displayName()+" has not started")
		case !c.isAlive(m.Name):
			status.problems = append(status.problems, m.displayName()+" is unhealthy")
		default:
			status.available++
		}
	}
	return status
}

func (s etcdStatus) formatMessage() string {
	if len(s.problems) == 0 {
		return fmt.Sprintf("%d members are available", s.available)
	}
	return fmt.Sprintf("%d of %d members are available, %s", s.available, len(s.members), strings.Join(s.problems, ", "))
}

func (s etcdStatus) listVoters() []member {
	var voters []member
	for _, m := range s.members {
		if !m.Learner && m.Name != bootstrapMember {
			voters = append(voters, m)
		}
	}
	return voters
}

func (s etcdStatus) findLearner() (member, bool) {
	for _, m := range s.members {
		if m.Learner {
			return m, true
		}
	}
	return member{}, false
}

func (s etcdStatus) has(name string) bool {
	return slices.ContainsFunc(s.members, func(m member) bool { return m.Name == name })
}

func formatHostPort(address string, port uint16) string {
	parsed, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	return netip.AddrPortFrom(parsed, port).String()
}
