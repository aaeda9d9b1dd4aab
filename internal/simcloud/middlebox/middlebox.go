// Package middlebox contains transparent hosts between a client and the internet: an interceptor that terminates TLS with
// certificates of its own, and the captive portal of a network.
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

const handshakeTimeout = 30 * time.Second

type peekedConn struct {
	net.Conn
	reader *bufio.Reader
}

func (p *peekedConn) Read(b []byte) (int, error) { return p.reader.Read(b) }

// peek waits for the client's first byte and reports whether it is TLS.
func peek(c net.Conn) (conn *peekedConn, secure bool, err error) {
	_ = c.SetReadDeadline(time.Now().Add(handshakeTimeout))
	conn = &peekedConn{c, bufio.NewReader(c)}
	first, err := conn.reader.Peek(1)
	_ = c.SetReadDeadline(time.Time{})
	return conn, err == nil && first[0] == handshake, err
}

// serveEach calls serve concurrently for each connection of a listener until that is closed; then it cancels their contexts and
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
