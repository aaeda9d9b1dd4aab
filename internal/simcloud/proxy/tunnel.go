package proxy

import (
	"context"
	"io"
	"net"
	"sync"
)

// tunnels are the open tunnels. A tunnel ends with its context, or when both of its directions have ended.
type tunnels struct {
	done    <-chan struct{}
	running sync.WaitGroup

	mu     sync.Mutex
	closed bool // no new ones are accepted
}

func newTunnels(ctx context.Context) *tunnels { return &tunnels{done: ctx.Done()} }

// close waits for the tunnels; their context must have ended.
func (t *tunnels) close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.running.Wait()
}

// join copies both directions. early has the client's data that was read before the tunnel was established.
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

func copyConn(to net.Conn, from io.Reader) {
	_, err := io.Copy(to, from)
	half, ok := to.(interface{ CloseWrite() error })
	if err != nil || !ok || half.CloseWrite() != nil {
		_ = to.Close()
	}
}
