package middlebox

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"sync"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/fabric"
)

// Interceptor intercepts TLS connections: it serves a certificate of its own authority for the requested name, and connects to
// the server itself. Other protocols are forwarded unchanged.
type Interceptor struct {
	authority *fabric.CA
	network   network.Network // of its own connections

	mu    sync.Mutex
	known map[string]*tls.Certificate
}

// NewInterceptor returns an interceptor that connects to servers through a network.
func NewInterceptor(authority *fabric.CA, world network.Network) *Interceptor {
	return &Interceptor{authority: authority, network: world, known: map[string]*tls.Certificate{}}
}

// Serve serves until the listener is closed.
func (i *Interceptor) Serve(l net.Listener) error { return serveEach(l, i.forwardConn) }

func (i *Interceptor) forwardConn(ctx context.Context, c net.Conn) {
	wanted, known := fabric.GetOriginalDestination(c)
	if !known {
		return
	}
	conn, secure, err := peek(c)
	if err != nil {
		return
	}
	there, err := i.network.Dial(ctx, "tcp", wanted.String())
	if err != nil {
		return
	}
	defer func() { _ = there.Close() }()
	defer context.AfterFunc(ctx, func() { _ = there.Close() })()
	if secure {
		i.open(ctx, conn, there)
		return
	}
	join(conn, there)
}

// open completes both handshakes and copies the data. A server with an invalid certificate is refused.
func (i *Interceptor) open(ctx context.Context, here, there net.Conn) {
	front := tls.Server(here, &tls.Config{
		MinVersion: tls.VersionTLS12, SessionTicketsDisabled: true,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			return i.ensureCertificate(nameOf(hello.ServerName, there))
		},
	})
	if front.HandshakeContext(ctx) != nil {
		return
	}
	settings := i.network.NewTLSConfig()
	settings.ServerName = nameOf(front.ConnectionState().ServerName, there)
	back := tls.Client(there, settings)
	if back.HandshakeContext(ctx) == nil {
		join(front, back)
	}
}

// nameOf returns the server's SNI name, or else the dialed address.
func nameOf(named string, there net.Conn) string {
	if named == "" {
		named, _, _ = net.SplitHostPort(there.RemoteAddr().String())
	}
	return named
}

func (i *Interceptor) ensureCertificate(name string) (*tls.Certificate, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if made, known := i.known[name]; known {
		return made, nil
	}
	made, err := i.authority.IssueCertificate(name)
	if err != nil {
		return nil, err
	}
	i.known[name] = &made
	return &made, nil
}

func join(here, there net.Conn) {
	var both sync.WaitGroup
	both.Go(func() { copyConn(there, here) })
	both.Go(func() { copyConn(here, there) })
	both.Wait()
}

func copyConn(to, from net.Conn) {
	_, err := io.Copy(to, from)
	half, ok := to.(interface{ CloseWrite() error })
	if err != nil || !ok || half.CloseWrite() != nil {
		_ = to.Close()
	}
}
