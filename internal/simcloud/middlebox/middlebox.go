// Package middlebox is what stands between a client and the internet without being asked: an interceptor that opens TLS
// with certificates of its own, and the portal of a network that wants people to sign in first.
package middlebox

import (
	"bufio"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// handshake is the first byte of a TLS connection.
const handshake = 0x16

// handshakeTimeout is how long a client may take to say something.
const handshakeTimeout = 30 * time.Second

// peekedConn is a connection whose first bytes have been looked at.
type peekedConn struct {
	net.Conn
	reader *bufio.Reader
}

func (p *peekedConn) Read(b []byte) (int, error) { return p.reader.Read(b) }

// peek waits until the client says something and tells whether it speaks TLS.
func peek(c net.Conn) (conn *peekedConn, secure bool, err error) {
	_ = c.SetReadDeadline(time.Now().Add(handshakeTimeout))
	conn = &peekedConn{c, bufio.NewReader(c)}
	first, err := conn.reader.Peek(1)
	_ = c.SetReadDeadline(time.Time{})
	return conn, err == nil && first[0] == handshake, err
}

// serveEach calls serve for each connection of a listener, side by side, until that is closed; then it ends their contexts and
// waits for them.
func serveEach(l net.Listener, serve func(context.Context, net.Conn)) error {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		running.Go(func() {
			defer func() { _ = conn.Close() }()
			defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
			serve(ctx, conn)
		})
	}
}

// singleListener is a listener that has one connection, and ends with it.
type singleListener struct {
	conn       net.Conn
	acceptOnce sync.Once
	done       chan struct{}
}

func (l *singleListener) Accept() (conn net.Conn, err error) {
	l.acceptOnce.Do(func() { conn = l.conn })
	if conn == nil {
		<-l.done
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (l *singleListener) Close() error   { return nil }
func (l *singleListener) Addr() net.Addr { return l.conn.LocalAddr() }

// serveHTTP serves HTTP on one connection.
func serveHTTP(conn net.Conn, handler http.Handler) {
	l := &singleListener{conn: conn, done: make(chan struct{})}
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: handshakeTimeout, ErrorLog: log.New(io.Discard, "", 0),
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateClosed || state == http.StateHijacked {
				close(l.done)
			}
		},
	}
	_ = server.Serve(l) // it ends when the connection is closed
}
