package proxy

import (
	"context"
	"io"
	"net"
	"sync"
)

// tunnels are the connections that are carried. They end with their context, or when both of their ends have said so.
type tunnels struct {
	done    <-chan struct{}
	running sync.WaitGroup

	mu     sync.Mutex
	closed bool // no more are carried
}

func newTunnels(ctx context.Context) *tunnels { return &tunnels{done: ctx.Done()} }

// close waits for the tunnels, whose context has ended.
func (t *tunnels) close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.running.Wait()
}

// join carries bytes between two connections. What a client sent too early has been read into early already.
func (t *tunnels) join(here net.Conn, early io.Reader, there net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		_ = here.Close()
		_ = there.Close()
		return
	}
	ended := make(chan struct{})
	t.running.Go(func() {
		var both sync.WaitGroup
		both.Go(func() { copyConn(there, early) })
		both.Go(func() { copyConn(here, there) })
		both.Wait()
		close(ended)
	})
	t.running.Go(func() {
		select {
		case <-ended:
		case <-t.done:
		}
		_ = here.Close()
		_ = there.Close()
	})
}

// copyConn copies until the source ends, and says so to the destination, which may still have something to tell.
func copyConn(to net.Conn, from io.Reader) {
	_, err := io.Copy(to, from)
	half, ok := to.(interface{ CloseWrite() error })
	if err != nil || !ok || half.CloseWrite() != nil {
		_ = to.Close()
	}
}
