package fabric

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func resolveNothing(_ context.Context, name string) ([]netip.Addr, error) {
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

// Dial connects to "host:port" over "tcp", "tcp4", "udp" or "udp4". The addresses of a name are tried in order and share
// connectTimeout. A dropped packet ends in an error whose Timeout is true, a port without listener in syscall.ECONNREFUSED: of
// TCP at once, of UDP at the next read. There is no route to IPv6 addresses, and no IPv6.
func (h *Host) Dial(ctx context.Context, proto, address string) (net.Conn, error) {
	connect, err := h.selectTransport(proto)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: proto, Err: err}
	}
	addresses, port, err := h.resolve(ctx, address)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: proto, Err: err}
	}
	timeout := connectTimeout / time.Duration(len(addresses))
	var first error
	for _, to := range addresses {
		at := netip.AddrPortFrom(to, uint16(port))
		c, err := connect(ctx, at, timeout)
		if err == nil {
			return c, nil
		}
		if first == nil {
			first = &net.OpError{Op: "dial", Net: proto, Addr: toNetAddr(proto, at), Err: err}
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, first
}

func (h *Host) selectTransport(proto string) (func(context.Context, netip.AddrPort, time.Duration) (net.Conn, error), error) {
	switch proto {
	case "tcp", "tcp4":
		return h.connect, nil
	case "udp", "udp4":
		return h.openUDP, nil
	case "tcp6", "udp6":
		return nil, os.NewSyscallError("connect", syscall.ENETUNREACH)
	}
	return nil, net.UnknownNetworkError(proto)
}

func toNetAddr(proto string, at netip.AddrPort) net.Addr {
	if strings.HasPrefix(proto, "udp") {
		return net.UDPAddrFromAddrPort(at)
	}
	return net.TCPAddrFromAddrPort(at)
}

// openUDP opens a connected UDP port without sending anything.
func (h *Host) openUDP(ctx context.Context, to netip.AddrPort, _ time.Duration) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !to.Addr().Is4() {
		return nil, os.NewSyscallError("connect", syscall.ENETUNREACH)
	}
	s, err := h.open(0, to)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (h *Host) resolve(ctx context.Context, address string) ([]netip.Addr, int, error) {
	name, service, err := net.SplitHostPort(address)
	if err != nil {
		return nil, 0, err
	}
	port, err := strconv.ParseUint(service, 10, 16)
	if err != nil {
		return nil, 0, fmt.Errorf("port %q: %w", service, err)
	}
	if ip, err := netip.ParseAddr(name); err == nil {
		return []netip.Addr{ip.Unmap()}, int(port), nil
	}
	addresses, err := h.lookup()(ctx, name)
	if err == nil && len(addresses) == 0 {
		_, err = resolveNothing(ctx, name)
	}
	return addresses, int(port), err
}

// connect blocks until the timeout if packets are dropped, as a real connection attempt.
func (h *Host) connect(ctx context.Context, to netip.AddrPort, timeout time.Duration) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !to.Addr().Is4() {
		return nil, os.NewSyscallError("connect", syscall.ENETUNREACH)
	}
	target, at, source, found := h.route(to)
	if !found {
		return nil, h.wait(ctx, timeout, nil, nil)
	}
	l, listening := target.findListener(at)
	if !listening {
		return nil, os.NewSyscallError("connect", syscall.ECONNREFUSED)
	}
	port := h.nextEphemeralPort()
	client, server := connect(h, target, netip.AddrPortFrom(h.address, port), netip.AddrPortFrom(source, port), to, at)
	if !h.addConn(client) || !target.addConn(server) {
		client.reset()
		return nil, os.NewSyscallError("connect", syscall.ECONNRESET)
	}
	if err := h.wait(ctx, timeout, l.queue, server); err != nil {
		client.reset()
		return nil, err
	}
	l.resetIfClosed()
	client.listener = l
	return client, nil
}

// wait queues c; if the queue is nil it blocks until the timeout.
func (h *Host) wait(ctx context.Context, timeout time.Duration, queue chan<- *conn, c *conn) error {
	timer := time.NewTimer(h.fabric.config.Clock.ToWall(timeout))
	defer timer.Stop()
	select {
	case queue <- c:
		return nil
	case <-timer.C:
		return os.ErrDeadlineExceeded
	case <-h.done:
		return net.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// route returns the host and its port that receive packets for an address, and the source address that it sees, if they are not
// dropped.
func (h *Host) route(to netip.AddrPort) (target *Host, port int, source netip.Addr, found bool) {
	address, source, delivered := h.fabric.route(h.address, to, "tcp")
	port = int(address.Port())
	if !delivered || !h.fabric.config.Allows(source, address.Addr(), "tcp", port) {
		return nil, 0, netip.Addr{}, false
	}
	target, found = h.fabric.find(address.Addr())
	return target, port, source, found && !h.silent.Load() && !target.silent.Load()
}
