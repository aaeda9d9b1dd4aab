package fabric

import (
	"context"
	"crypto/x509"
	"io"
	"net/netip"
	"sync"
	"sync/atomic"

	"exoshift/internal/network"
)

// Host is a host that is up.
type Host struct {
	fabric  *Fabric
	address netip.Addr
	boot    func(*Host) // opens the ports at the first packet; nil: they are open
	booted  sync.Once

	mu        sync.Mutex
	listeners map[int]*listener
	catchAll  *listener // for ports without their own listener
	sockets   map[int]*socket
	conns     map[*conn]struct{}
	lastPort  uint16
	closed    bool
	silent    atomic.Bool   // all packets from and to it are dropped
	done      chan struct{} // closed with the host
}

// Address returns the host's address.
func (h *Host) Address() netip.Addr { return h.address }

// Network returns the network of this host, with the certificate authorities it trusts.
func (h *Host) Network(roots *x509.CertPool) network.Network {
	n := network.Network{Dial: h.Dial, Lookup: h.lookup(), Roots: roots, PublicRoots: roots, Clock: h.fabric.config.Clock}
	resolver, servers := h.fabric.config.ResolverFor(h.address)
	if resolver != nil {
		n.Resolver, n.Resolvers = resolver, func() []string { return servers }
	}
	return n
}

func (h *Host) lookup() func(ctx context.Context, name string) ([]netip.Addr, error) {
	return h.fabric.config.ResolveFor(h.address)
}

// Close removes the host: its ports close and its connections are reset at both ends. It is idempotent.
func (h *Host) Close() {
	h.fabric.remove(h)
	for _, port := range h.markClosed() {
		_ = port.Close()
	}
	for _, c := range h.listConns() {
		c.reset()
	}
}

// Silence drops all packets from and to the host from now on, as when its hypervisor has died: nobody is told that its
// connections are gone.
func (h *Host) Silence() { h.silent.Store(true) }

// markClosed refuses new ports and connections and returns the open ones.
func (h *Host) markClosed() []io.Closer {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil
	}
	h.closed = true
	close(h.done)
	open := make([]io.Closer, 0, len(h.listeners)+len(h.sockets)+1)
	for _, l := range h.listeners {
		open = append(open, l)
	}
	for _, s := range h.sockets {
		open = append(open, s)
	}
	if h.catchAll != nil {
		open = append(open, h.catchAll)
	}
	return open
}

func (h *Host) listConns() []*conn {
	h.mu.Lock()
	defer h.mu.Unlock()
	conns := make([]*conn, 0, len(h.conns))
	for c := range h.conns {
		conns = append(conns, c)
	}
	return conns
}

// CountPeers returns the number of hosts with an open connection to a TCP port of this one.
func (h *Host) CountPeers(port int) int {
	peers := map[*Host]bool{}
	for _, c := range h.listConns() {
		if c.local.Port == port {
			peers[c.peer.host] = true
		}
	}
	return len(peers)
}

func (h *Host) findListener(port int) (*listener, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l, ok := h.listeners[port]; ok {
		return l, true
	}
	return h.catchAll, h.catchAll != nil
}

// addConn registers a connection to be closed with the host; false if the host is closed.
func (h *Host) addConn(c *conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		h.conns[c] = struct{}{}
	}
	return !h.closed
}

func (h *Host) removeConn(c *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.conns, c)
}
