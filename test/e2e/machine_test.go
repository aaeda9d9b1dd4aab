package e2e

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"

	"github.com/pires/go-proxyproto"
)

// machine is a machine of the cluster, with servers that can be told to be sick.
type machine struct {
	world   *world
	name    string
	address netip.Addr
	sick    atomic.Bool
	routers []*http.Server
}

// machine returns the machine with the address 10.0.0.<number>, on which nothing runs.
func (w *world) machine(name string, number int) *machine {
	w.t.Helper()
	m := &machine{world: w, name: name, address: netip.AddrFrom4([4]byte{10, 0, 0, byte(number)})}
	w.own(m.address)
	return m
}

// master returns a machine that runs an API server and a machine config server.
func (w *world) master(name string, number int) *machine {
	w.t.Helper()
	m := w.machine(name, number)
	m.serve(m.encrypted(m.listen(6443)), "/readyz")
	m.serve(m.encrypted(m.listen(22623)), "/healthz")
	return m
}

// router returns a machine that runs a router; with proxied it demands the PROXY protocol for what it routes.
func (w *world) router(name string, number int, proxied bool) *machine {
	w.t.Helper()
	m := w.machine(name, number)
	m.serve(m.listen(1936), "/healthz/ready")
	m.route(proxied)
	return m
}

// route starts the router of a machine anew, after it has ended the requests of the one that runs.
func (m *machine) route(proxied bool) {
	m.world.t.Helper()
	for _, running := range m.routers {
		must(m.world.t, running.Shutdown(m.world.t.Context()))
	}
	plain, secure := m.listen(80), m.listen(443)
	if proxied {
		plain, secure = demandProxy(plain), demandProxy(secure)
	}
	m.routers = []*http.Server{m.serve(plain, ""), m.serve(m.encrypted(secure), "")}
}

// demandProxy takes connections only that open with version 2 of the PROXY protocol.
func demandProxy(l net.Listener) net.Listener {
	return &proxyproto.Listener{
		Listener: l,
		ConnPolicy: func(proxyproto.ConnPolicyOptions) (proxyproto.Policy, error) {
			return proxyproto.REQUIRE, nil
		},
		ValidateHeader: func(header *proxyproto.Header) error {
			if header.Version != 2 {
				return fmt.Errorf("version %d of the PROXY protocol", header.Version)
			}
			return nil
		},
	}
}

func (m *machine) listen(port uint16) net.Listener {
	m.world.t.Helper()
	l, err := net.Listen("tcp", netip.AddrPortFrom(m.address, port).String())
	must(m.world.t, err)
	return l
}

// encrypted serves TLS with a certificate of the cluster.
func (m *machine) encrypted(l net.Listener) net.Listener {
	m.world.t.Helper()
	config, err := m.world.ca.NewServerTLS("api."+domain, "router.apps."+domain)
	must(m.world.t, err)
	return tls.NewListener(l, config)
}

// broken serves TLS without any certificate: no handshake succeeds.
func broken(l net.Listener) net.Listener {
	return tls.NewListener(l, &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return nil, errors.New("the certificate cannot be read")
		},
	})
}

// serve tells the machine's name and who asks, and its health at the path.
func (m *machine) serve(l net.Listener, health string) *http.Server {
	server := &http.Server{ErrorLog: log.New(io.Discard, "", 0)}
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if health == "" || r.URL.Path != health {
			client, _, _ := strings.Cut(r.RemoteAddr, ":")
			_, _ = fmt.Fprintf(w, "%s %s", m.name, client)
		} else if m.sick.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	go func() { _ = server.Serve(l) }()
	m.world.t.Cleanup(func() { _ = server.Close() })
	return server
}
