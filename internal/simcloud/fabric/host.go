package fabric

import (
	"context"
	"crypto/x509"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"

	"exoshift/internal/network"
)

// Host is a host that is up.
type Host struct {
	fabric  *Fabric
	address netip.Addr

	mu        sync.Mutex
	listeners map[int]*listener
	conns     map[*conn]struct{}
	lastPort  uint16
	closed    bool
	gone      chan struct{} // closed with the host
}

// Address returns the host's address.
func (h *Host) Address() netip.Addr { return h.address }

// Network returns the world as seen from this host, with the certificate authorities it trusts.
func (h *Host) Network(roots *x509.CertPool) network.Network {
	return network.Network{Dial: h.Dial, Lookup: h.lookup(), Roots: roots, Clock: h.fabric.config.Clock}
}

// lookup returns how this host resolves names.
func (h *Host) lookup() func(ctx context.Context, name string) ([]netip.Addr, error) {
	return h.fabric.config.ResolveFor(h.address)
}

// Listen opens a TCP port.
func (h *Host) Listen(port int) (net.Listener, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	address := net.TCPAddrFromAddrPort(netip.AddrPortFrom(h.address, uint16(port)))
	if h.closed {
		return nil, &net.OpError{Op: "listen", Net: "tcp", Addr: address, Err: net.ErrClosed}
	}
	if _, taken := h.listeners[port]; taken {
		return nil, &net.OpError{Op: "listen", Net: "tcp", Addr: address, Err: os.NewSyscallError("bind", syscall.EADDRINUSE)}
	}
	l := &listener{host: h, address: address, queue: make(chan *conn, backlog), done: make(chan struct{})}
	h.listeners[port] = l
	return l, nil
}

// Close takes the host down: its ports close and its connections are reset at both ends. Closing twice is fine.
func (h *Host) Close() {
	h.fabric.remove(h)
	for _, l := range h.shut() {
		_ = l.Close()
	}
	for _, c := range h.connections() {
		c.reset()
	}
}

// shut refuses new ports and connections and returns the listeners that were open.
func (h *Host) shut() []*listener {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil
	}
	h.closed = true
	close(h.gone)
	listeners := make([]*listener, 0, len(h.listeners))
	for _, l := range h.listeners {
		listeners = append(listeners, l)
	}
	return listeners
}

func (h *Host) connections() []*conn {
	h.mu.Lock()
	defer h.mu.Unlock()
	conns := make([]*conn, 0, len(h.conns))
	for c := range h.conns {
		conns = append(conns, c)
	}
	return conns
}

func (h *Host) listener(port int) (*listener, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l, ok := h.listeners[port]
	return l, ok
}

// adopt makes the host responsible for a connection's end; false if the host is gone.
func (h *Host) adopt(c *conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		h.conns[c] = struct{}{}
	}
	return !h.closed
}

func (h *Host) forget(c *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.conns, c)
}

func (h *Host) ephemeralPort() uint16 {
	const first, last = 32768, 60999
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lastPort < first || h.lastPort == last {
		h.lastPort = first
	} else {
		h.lastPort++
	}
	return h.lastPort
}
