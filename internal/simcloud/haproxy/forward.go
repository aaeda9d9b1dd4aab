package haproxy

import (
	"context"
	"io"
	"net"
	"sync"
)

// forward closes the connection if no server is up.
func forward(ctx context.Context, client net.Conn, target *backend) {
	defer func() { _ = client.Close() }()
	if target == nil {
		return
	}
	server, err := target.dial(ctx, client.RemoteAddr(), client.LocalAddr())
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	stop := context.AfterFunc(ctx, func() {
		_ = client.Close()
		_ = server.Close()
	})
	defer stop()
	var both sync.WaitGroup
	both.Go(func() { copyConn(server, client) })
	copyConn(client, server)
	both.Wait()
}

// copyBufferSize is small, in bytes: every kubelet of a cluster keeps a connection open, and most are idle.
const copyBufferSize = 2 << 10

// copyConn copies one direction with its end of file. An error breaks the other direction, too.
func copyConn(to, from net.Conn) {
	_, err := io.CopyBuffer(to, from, make([]byte, copyBufferSize))
	half, ok := to.(interface{ CloseWrite() error })
	if err == nil && ok {
		_ = half.CloseWrite()
		return
	}
	_ = to.Close()
	_ = from.Close()
}
