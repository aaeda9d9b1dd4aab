package fabric

import (
	"net"
	"net/netip"
	"os"
	"syscall"
)

// Listen opens a TCP port.
func (h *Host) Listen(port int) (net.Listener, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	address := net.TCPAddrFromAddrPort(netip.AddrPortFrom(h.address, uint16(port)))
	_, taken := h.listeners[port]
	if err := h.checkOpen("tcp", address, taken); err != nil {
		return nil, err
	}
	l := newListener(h, address)
	h.listeners[port] = l
	return l, nil
}

// ListenAll accepts connections to every TCP port without its own listener, as a host in the middle does for redirected
// connections.
func (h *Host) ListenAll() (net.Listener, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	address := net.TCPAddrFromAddrPort(netip.AddrPortFrom(h.address, 0))
	if err := h.checkOpen("tcp", address, h.catchAll != nil); err != nil {
		return nil, err
	}
	h.catchAll = newListener(h, address)
	return h.catchAll, nil
}

// ListenPacket opens a UDP port; 0 means any free one.
func (h *Host) ListenPacket(port int) (net.PacketConn, error) {
	s, err := h.open(port, netip.AddrPort{})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// open opens a UDP port, connected to peer if that is valid.
func (h *Host) open(port int, peer netip.AddrPort) (*socket, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if port == 0 {
		port = int(h.findFreePort())
	}
	address := net.UDPAddrFromAddrPort(netip.AddrPortFrom(h.address, uint16(port)))
	_, taken := h.sockets[port]
	if err := h.checkOpen("udp", address, taken); err != nil {
		return nil, err
	}
	s := newSocket(h, uint16(port), peer)
	h.sockets[port] = s
	return s, nil
}

// checkOpen returns why a port cannot be opened. The caller holds the lock, as for findFreePort.
func (h *Host) checkOpen(proto string, address net.Addr, taken bool) error {
	switch {
	case h.closed:
		return &net.OpError{Op: "listen", Net: proto, Addr: address, Err: net.ErrClosed}
	case taken:
		return &net.OpError{Op: "listen", Net: proto, Addr: address, Err: os.NewSyscallError("bind", syscall.EADDRINUSE)}
	}
	return nil
}

func (h *Host) findSocket(port int) (*socket, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.sockets[port]
	return s, ok
}

func (h *Host) drop(s *socket) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sockets[int(s.port)] == s {
		delete(h.sockets, int(s.port))
	}
}

func (h *Host) nextEphemeralPort() uint16 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.findFreePort()
}

func (h *Host) findFreePort() uint16 {
	const first, last = 32768, 60999
	for range last - first + 1 {
		if h.lastPort < first || h.lastPort == last {
			h.lastPort = first
		} else {
			h.lastPort++
		}
		if _, taken := h.sockets[int(h.lastPort)]; !taken {
			break
		}
	}
	return h.lastPort
}
