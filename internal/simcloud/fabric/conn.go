package fabric

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"syscall"
	"time"
)

type conn struct {
	host          *Host
	in, out       *pipe
	peer          *conn
	local, remote *net.TCPAddr
	dialed        netip.AddrPort
	listener      *listener // of the dialed address; nil in an accepted connection
}

// GetOriginalDestination returns the address that the client of an accepted connection dialed: it differs from the server's own
// behind an elastic IP or a load balancer, or with a host in the middle.
func GetOriginalDestination(c net.Conn) (netip.AddrPort, bool) {
	accepted, ok := c.(*conn)
	if !ok {
		return netip.AddrPort{}, false
	}
	return accepted.dialed, true
}

// connect returns the two ends of a new connection. The client's remote address is what it dialed, which may be an elastic IP;
// the server's local address is its own with its port at, and its remote one is what packets come from: the client's, unless that
// is rewritten.
func connect(from, to *Host, local, source, dialed netip.AddrPort, at int) (client, server *conn) {
	request, response := newPipe(&from.fabric.buffers), newPipe(&from.fabric.buffers)
	client = &conn{host: from, in: response, out: request, local: net.TCPAddrFromAddrPort(local), remote: net.TCPAddrFromAddrPort(dialed)}
	server = &conn{host: to, in: request, out: response, remote: net.TCPAddrFromAddrPort(source), dialed: dialed,
		local: net.TCPAddrFromAddrPort(netip.AddrPortFrom(to.address, uint16(at)))}
	client.peer, server.peer = server, client
	return client, server
}

// IsRedialable reports whether dialing anew what c was dialed to would reach the same listener now: a route, a rule or the listener
// may have changed since. It is false if c was not dialed on a fabric.
func IsRedialable(c net.Conn) bool {
	dialed, ok := c.(*conn)
	if !ok || dialed.listener == nil {
		return false
	}
	target, port, _, found := dialed.host.route(dialed.remote.AddrPort())
	if !found {
		return false
	}
	l, listening := target.findListener(port)
	return listening && l == dialed.listener
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.in.read(b)
	return n, c.wrapError("read", err)
}

// WriteTo copies everything that arrives until the end of the connection, as io.Copy does, without a buffer of its own.
func (c *conn) WriteTo(w io.Writer) (written int64, err error) {
	for {
		taken, err := c.in.takeAll()
		if errors.Is(err, io.EOF) {
			return written, nil
		}
		if err != nil {
			return written, c.wrapError("read", err)
		}
		n, err := w.Write(taken.Bytes())
		written += int64(n)
		c.host.fabric.buffers.put(taken)
		if err != nil {
			return written, err
		}
	}
}

// isCut reports whether packets between the two ends are dropped.
func (c *conn) isCut() bool { return c.host.silent.Load() || c.peer.host.silent.Load() }

func (c *conn) Write(b []byte) (int, error) {
	if c.isCut() {
		return len(b), nil // the sender hears of it in minutes at the earliest
	}
	n, err := c.out.write(b)
	return n, c.wrapError("write", err)
}

func (c *conn) wrapError(op string, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return &net.OpError{Op: op, Net: "tcp", Source: c.local, Addr: c.remote, Err: err}
}

// Close ends both directions; the peer can still read what was written.
func (c *conn) Close() error {
	c.host.removeConn(c)
	if c.isCut() {
		c.in.stop(net.ErrClosed, syscall.ECONNRESET)
		return nil
	}
	c.out.end(net.ErrClosed)
	c.in.stop(net.ErrClosed, syscall.ECONNRESET)
	return nil
}

// CloseWrite ends the direction to the peer only.
func (c *conn) CloseWrite() error {
	if c.isCut() {
		return nil
	}
	c.out.end(syscall.EPIPE)
	return nil
}

// reset breaks both ends at once.
func (c *conn) reset() {
	for _, end := range []*conn{c, c.peer} {
		end.host.removeConn(end)
		end.in.stop(syscall.ECONNRESET, syscall.ECONNRESET)
	}
}

func (c *conn) LocalAddr() net.Addr  { return c.local }
func (c *conn) RemoteAddr() net.Addr { return c.remote }

func (c *conn) SetDeadline(t time.Time) error {
	c.in.setReadBy(t)
	c.out.setWriteBy(t)
	return nil
}

func (c *conn) SetReadDeadline(t time.Time) error {
	c.in.setReadBy(t)
	return nil
}

func (c *conn) SetWriteDeadline(t time.Time) error {
	c.out.setWriteBy(t)
	return nil
}
