package fabric

import (
	"net"
	"sync"
)

// backlog is the number of connections that wait to be accepted before dials block.
const backlog = 256

type listener struct {
	host    *Host
	address *net.TCPAddr
	queue   chan *conn
	once    sync.Once
	done    chan struct{}
}

func newListener(h *Host, address *net.TCPAddr) *listener {
	return &listener{host: h, address: address, queue: make(chan *conn, backlog), done: make(chan struct{})}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case <-l.done:
		return nil, l.newClosedError()
	default:
	}
	select {
	case c := <-l.queue:
		return c, nil
	case <-l.done:
		return nil, l.newClosedError()
	}
}

func (l *listener) newClosedError() error {
	return &net.OpError{Op: "accept", Net: "tcp", Addr: l.address, Err: net.ErrClosed}
}

func (l *listener) Close() error {
	l.once.Do(func() {
		l.host.mu.Lock()
		if l.host.catchAll == l {
			l.host.catchAll = nil
		} else {
			delete(l.host.listeners, l.address.Port)
		}
		l.host.mu.Unlock()
		close(l.done)
		l.resetQueued()
	})
	return nil
}

// resetIfClosed handles a connection that was queued while the listener closed.
func (l *listener) resetIfClosed() {
	select {
	case <-l.done:
		l.resetQueued()
	default:
	}
}

func (l *listener) resetQueued() {
	for {
		select {
		case c := <-l.queue:
			c.reset()
		default:
			return
		}
	}
}

func (l *listener) Addr() net.Addr { return l.address }
