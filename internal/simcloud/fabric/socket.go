package fabric

import (
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"time"
)

// socket is an open UDP port: a net.PacketConn, and a net.Conn if it was dialed.
type socket struct {
	host *Host
	port uint16
	peer netip.AddrPort // of a connected socket

	mu      sync.Mutex
	changed sync.Cond
	queue   []datagram
	refused bool // an ICMP message reported the peer's port as closed
	closed  bool
	readBy  deadline
	// flows are the known peers, with the local address that they use.
	flows map[netip.AddrPort]netip.Addr
}

func newSocket(host *Host, port uint16, peer netip.AddrPort) *socket {
	s := &socket{host: host, port: port, peer: peer, flows: map[netip.AddrPort]netip.Addr{}}
	s.changed.L = &s.mu
	return s
}

// getLocalAddress returns the local address from a peer's view, which may be an elastic IP.
func (s *socket) getLocalAddress(to netip.AddrPort) netip.AddrPort {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.flows[to]; ok {
		return netip.AddrPortFrom(known, s.port)
	}
	return netip.AddrPortFrom(s.host.address, s.port)
}

func (s *socket) hasFlow(peer netip.AddrPort) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.flows[peer]
	return ok
}

func (s *socket) recordFlow(peer netip.AddrPort, as netip.Addr) {
	if _, known := s.flows[peer]; !known && len(s.flows) >= maxFlows {
		clear(s.flows) // active peers will send again
	}
	s.flows[peer] = as
}

// enqueue queues a received datagram; as is the address that it was sent to.
func (s *socket) enqueue(d datagram, as netip.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.queue) >= maxQueued || s.peer.IsValid() && d.from != s.peer {
		return
	}
	s.recordFlow(d.from, as)
	s.queue = append(s.queue, d)
	s.changed.Broadcast()
}

func (s *socket) ReadFrom(b []byte) (int, net.Addr, error) {
	n, from, err := s.receive(b)
	if err != nil {
		return 0, nil, s.wrapError("read", err)
	}
	return n, net.UDPAddrFromAddrPort(from), nil
}

func (s *socket) Read(b []byte) (int, error) {
	n, _, err := s.receive(b)
	return n, s.wrapError("read", err)
}

func (s *socket) receive(b []byte) (int, netip.AddrPort, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.closed:
			return 0, netip.AddrPort{}, net.ErrClosed
		case s.readBy.isExpired():
			return 0, netip.AddrPort{}, os.ErrDeadlineExceeded
		case len(s.queue) > 0:
			d := s.queue[0]
			s.queue = s.queue[1:]
			return copy(b, d.content), d.from, nil // excess bytes are discarded
		case s.refused:
			s.refused = false
			return 0, netip.AddrPort{}, os.NewSyscallError("read", syscall.ECONNREFUSED)
		}
		s.changed.Wait()
	}
}

func (s *socket) WriteTo(b []byte, to net.Addr) (int, error) {
	peer, ok := to.(*net.UDPAddr)
	if s.peer.IsValid() || !ok {
		return 0, s.wrapError("write", net.ErrWriteToConnected)
	}
	n, err := s.send(b, netip.AddrPortFrom(peer.AddrPort().Addr().Unmap(), peer.AddrPort().Port()))
	return n, s.wrapError("write", err)
}

func (s *socket) Write(b []byte) (int, error) {
	n, err := s.send(b, s.peer)
	return n, s.wrapError("write", err)
}

func (s *socket) send(b []byte, to netip.AddrPort) (int, error) {
	if err := s.checkWrite(b, to); err != nil {
		return 0, err
	}
	if s.deliver(to, append([]byte(nil), b...)) && s.peer.IsValid() {
		s.mu.Lock()
		s.refused = true
		s.changed.Broadcast()
		s.mu.Unlock()
	}
	return len(b), nil
}

func (s *socket) checkWrite(b []byte, to netip.AddrPort) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return net.ErrClosed
	case s.refused:
		s.refused = false
		return os.NewSyscallError("write", syscall.ECONNREFUSED)
	case len(b) > maxDatagram:
		return os.NewSyscallError("write", syscall.EMSGSIZE)
	case !to.Addr().Is4():
		return os.NewSyscallError("write", syscall.ENETUNREACH)
	}
	if _, known := s.flows[to]; !known {
		s.recordFlow(to, s.host.address)
	}
	return nil
}

func (s *socket) wrapError(op string, err error) error {
	if err == nil {
		return nil
	}
	failure := &net.OpError{Op: op, Net: "udp", Source: s.LocalAddr(), Err: err}
	if s.peer.IsValid() {
		failure.Addr = s.RemoteAddr()
	}
	return failure
}

func (s *socket) Close() error {
	s.host.drop(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return s.wrapError("close", net.ErrClosed)
	}
	s.closed, s.queue = true, nil
	s.readBy.set(time.Time{}, nil)
	s.changed.Broadcast()
	return nil
}

func (s *socket) LocalAddr() net.Addr {
	return net.UDPAddrFromAddrPort(netip.AddrPortFrom(s.host.address, s.port))
}

func (s *socket) RemoteAddr() net.Addr {
	if !s.peer.IsValid() {
		return nil
	}
	return net.UDPAddrFromAddrPort(s.peer)
}

func (s *socket) SetDeadline(t time.Time) error { return s.SetReadDeadline(t) } // sends never block

func (s *socket) SetReadDeadline(t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readBy.set(t, s.notifyReader)
	s.changed.Broadcast()
	return nil
}

func (s *socket) SetWriteDeadline(time.Time) error { return nil }

func (s *socket) notifyReader() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed.Broadcast()
}

// deliver sends a datagram. A loss is silent, except that a closed port of a running host sets unreachable.
func (s *socket) deliver(to netip.AddrPort, content []byte) (unreachable bool) {
	from := s.host
	target, filtered, delivered := from.fabric.route(from.address, to, "udp")
	if !delivered {
		return false
	}
	host, up := from.fabric.find(target.Addr())
	if !up || from.silent.Load() || host.silent.Load() {
		return false
	}
	source := s.getLocalAddress(to)
	receiver, open := host.findSocket(int(target.Port()))
	known := open && receiver.hasFlow(source)
	switch {
	case !known && !from.fabric.config.Allows(filtered, target.Addr(), "udp", int(target.Port())):
		return false // responses need no rule: security groups are stateful
	case !open:
		return true
	}
	receiver.enqueue(datagram{from: source, content: content}, to.Addr())
	return false
}
