package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"time"
)

// listen opens a port of a host.
func (l *lab) listen(name, port string) net.Listener {
	l.t.Helper()
	listener, err := net.Listen("tcp", l.at(name, port))
	must(l.t, err)
	l.t.Cleanup(func() { _ = listener.Close() })
	return listener
}

// echo answers everything with itself.
func (l *lab) echo(name, port string) {
	l.t.Helper()
	l.talk(name, port, func(conn net.Conn) { _, _ = io.Copy(conn, conn) })
}

// talk serves a protocol of its own, one connection at a time or many.
func (l *lab) talk(name, port string, speak func(net.Conn)) {
	l.t.Helper()
	l.accept(l.listen(name, port), speak)
}

func (l *lab) accept(listener net.Listener, speak func(net.Conn)) {
	l.t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				speak(conn)
			}()
		}
	}()
}

// web serves HTTPS with a certificate of the lab's authority.
func (l *lab) web(name string, handler http.Handler) {
	l.t.Helper()
	l.secure(name, "443", encryption(issue(l.t, l.authority, time.Now(), name)), handler)
}

// secure serves HTTPS in its own way.
func (l *lab) secure(name, port string, config *tls.Config, handler http.Handler) {
	l.t.Helper()
	l.serve(tls.NewListener(l.listen(name, port), config), handler)
}

func (l *lab) serve(listener net.Listener, handler http.Handler) {
	server := &http.Server{Handler: handler, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = server.Serve(listener) }()
	l.t.Cleanup(func() { _ = server.Close() })
}

// client returns a client that trusts the lab's authority.
func (l *lab) client() *http.Client {
	pool := x509.NewCertPool()
	pool.AddCert(l.authority.Certificate)
	config := &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}, Timeout: 2 * time.Minute}
}
