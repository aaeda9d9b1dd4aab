package probe

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/fabric"
	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe/connection"
)

// lab is a small internet in memory, in which this machine has the address 192.0.2.1. It runs in a synctest bubble: only
// waits take time, and no goroutine may be left.
type lab struct {
	t         *testing.T
	fabric    *fabric.Fabric
	hosts     map[netip.Addr]*fabric.Host
	names     map[string][]string // IPv4 addresses
	names6    map[string][]string
	broken    map[string]error // names that are not looked up
	filtered  map[string]bool  // "address:port" that is behind a firewall
	authority *authority
	network   network.Network
	task      reach.Task
	limits    connection.Limits
	now       func() time.Time
	serving   sync.WaitGroup
}

func inLab(t *testing.T, test func(*testing.T, *lab)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := &lab{t: t, names: map[string][]string{}, names6: map[string][]string{}, broken: map[string]error{},
			filtered: map[string]bool{}, hosts: map[netip.Addr]*fabric.Host{},
			authority: newAuthority(t, "Public Root"), limits: connection.DefaultLimits(), now: time.Now}
		l.fabric = fabric.New(fabric.Config{Resolve: l.lookup(l.names), Allows: func(_, to netip.Addr, _ string, port int) bool {
			return !l.filtered[netip.AddrPortFrom(to, uint16(port)).String()]
		}})
		t.Cleanup(l.serving.Wait)
		t.Cleanup(l.fabric.Close)
		here, err := l.fabric.AddHost(netip.MustParseAddr("192.0.2.1"))
		must(t, err)
		l.network = network.Network{Dial: alsoIPv6(here), Roots: l.authority.pool(), PublicRoots: l.authority.pool()}
		l.network.Lookup, l.network.LookupIPv6 = l.lookup(l.names), l.lookup(l.names6)
		l.network.Resolvers = func() []string { return []string{"192.0.2.53"} }
		test(t, l)
	})
}

// overIPv4 replaces 2001:db8::1: the fabric supports IPv4 only.
const overIPv4 = "203.0.113.61"

func alsoIPv6(here *fabric.Host) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		return here.Dial(ctx, network, strings.Replace(address, "[2001:db8::1]", overIPv4, 1))
	}
}

func (l *lab) lookup(names map[string][]string) func(ctx context.Context, name string) ([]netip.Addr, error) {
	return func(ctx context.Context, name string) ([]netip.Addr, error) {
		if err := l.broken[name]; err != nil {
			return nil, err
		}
		var found []netip.Addr
		for _, address := range names[name] {
			found = append(found, netip.MustParseAddr(address))
		}
		if len(found) == 0 {
			return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
		}
		return found, ctx.Err()
	}
}

func (l *lab) probe(check reach.Check) reach.Finding {
	l.t.Helper()
	p, err := New(l.network, l.task, l.limits)
	must(l.t, err)
	p.deps.Now = l.now
	return p.Probe(l.t.Context(), check)
}

func (l *lab) probeURL(address string) reach.Finding { return l.probe(reach.Check{URL: address}) }

func (l *lab) listen(address string) net.Listener {
	l.t.Helper()
	at := netip.MustParseAddrPort(address)
	listener, err := l.host(at.Addr()).Listen(int(at.Port()))
	must(l.t, err)
	return listener
}

// host returns the machine at an address, and starts it on first use.
func (l *lab) host(address netip.Addr) *fabric.Host {
	l.t.Helper()
	if l.hosts[address] == nil {
		host, err := l.fabric.AddHost(address)
		must(l.t, err)
		l.hosts[address] = host
	}
	return l.hosts[address]
}

func (l *lab) accept(address string, serve func(net.Conn)) { l.serve(l.listen(address), serve) }

func (l *lab) acceptTLS(address string, certificate *tls.Certificate, serve func(net.Conn)) {
	l.serve(tls.NewListener(l.listen(address), &tls.Config{Certificates: []tls.Certificate{*certificate}}), serve)
}

func (l *lab) serve(listener net.Listener, serve func(net.Conn)) {
	l.serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			l.serving.Go(func() { defer func() { _ = conn.Close() }(); serve(conn) })
		}
	})
}

// web starts a web server, with TLS if there is a certificate.
func (l *lab) web(address string, certificate *tls.Certificate, handler http.HandlerFunc) {
	listener := l.listen(address)
	if certificate != nil {
		listener = tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{*certificate}})
	}
	server := &http.Server{Handler: handler, ErrorLog: quiet()}
	go func() { _ = server.Serve(listener) }()
	l.t.Cleanup(func() { _ = server.Close() })
}

// site is a good web server of a name, at 203.0.113.1.
func (l *lab) site(name string, handler http.HandlerFunc) {
	l.names[name] = []string{"203.0.113.1"}
	l.web("203.0.113.1:443", l.authority.issue(l.t, name), handler)
}

type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	template := &x509.Certificate{Subject: pkix.Name{CommonName: name}, SerialNumber: big.NewInt(1), IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
		NotBefore: time.Now().AddDate(-20, 0, 0), NotAfter: time.Now().AddDate(20, 0, 0)}
	a := &authority{}
	a.certificate, a.key = sign(t, template, nil)
	return a
}

// sign issues a certificate; without an authority it is self-signed.
func sign(t *testing.T, template *x509.Certificate, by *authority) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	parent, signer := template, key
	if by != nil {
		parent, signer = by.certificate, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	must(t, err)
	certificate, err := x509.ParseCertificate(der)
	must(t, err)
	return certificate, key
}

// below issues an intermediate authority.
func (a *authority) below(t *testing.T, name string) *authority {
	t.Helper()
	template := *newAuthority(t, name).certificate
	b := &authority{}
	b.certificate, b.key = sign(t, &template, a)
	return b
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

func (a *authority) pem() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw}))
}

// issue returns a server's certificate that is valid from a month ago for a year.
func (a *authority) issue(t *testing.T, name string) *tls.Certificate {
	t.Helper()
	return a.issueFor(t, name, time.Now().AddDate(0, -1, 0), time.Now().AddDate(1, 0, 0))
}

func (a *authority) issueFor(t *testing.T, name string, from, until time.Time) *tls.Certificate {
	t.Helper()
	template := &x509.Certificate{Subject: pkix.Name{CommonName: name}, SerialNumber: big.NewInt(2), DNSNames: []string{name},
		NotBefore: from, NotAfter: until, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	certificate, key := sign(t, template, a)
	return &tls.Certificate{Certificate: [][]byte{certificate.Raw, a.certificate.Raw}, PrivateKey: key}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func pause(d time.Duration) { time.Sleep(d) }

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// strip renders layers, e.g. "ok ok fail none".
func strip(l reach.Layers) string {
	return string(l.DNS) + " " + string(l.TCP) + " " + string(l.TLS) + " " + string(l.HTTP)
}

// expect compares a finding: its class, its layers as by strip, and whether the service is reached.
func expect(t *testing.T, got reach.Finding, class reach.Class, layers string, reached bool) {
	t.Helper()
	if got.Class != class || strip(got.Layers) != layers || got.IsReached() != reached {
		t.Errorf("%q, layers %s, reached %v, want %q, %s, %v\nevidence %q",
			got.Class, strip(got.Layers), got.IsReached(), class, layers, reached, got.Evidence)
	}
}
