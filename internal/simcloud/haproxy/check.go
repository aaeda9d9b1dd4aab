package haproxy

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/machine"
)

// probe is a server's health check.
type probe struct {
	network network.Network
	check   httpCheck
	options options
	port    int
	timeout time.Duration
	tls     *tls.Config // nil without TLS
}

func newProbe(m machine.Machine, p *proxy, s *server) (*probe, error) {
	made := &probe{network: m.Network(), check: p.check, options: s.options, port: s.port, timeout: p.checkTimeout}
	if made.timeout == 0 {
		made.timeout = s.inter
	}
	if s.checkPort != 0 {
		made.port = s.checkPort
	}
	var err error
	if s.checkSSL {
		made.tls, err = buildCheckTLS(m, s.options)
	}
	return made, err
}

// buildCheckTLS verifies, like the real program, the authority only, not the name. It uses TLS 1.2, whose session resumption is
// cheap: a simulated zone makes many checks.
func buildCheckTLS(m machine.Machine, o options) (*tls.Config, error) {
	config := &tls.Config{ServerName: o.checkSNI, MinVersion: tls.VersionTLS12, MaxVersion: tls.VersionTLS12}
	config.InsecureSkipVerify = o.verify == "none" || o.checkSNI == ""
	if o.verify == "none" {
		return config, nil
	}
	bundle, ok := m.ReadFile(o.caFile)
	roots := x509.NewCertPool()
	if !ok || !roots.AppendCertsFromPEM(bundle) {
		return nil, fmt.Errorf("'ca-file' : unable to load '%s'", o.caFile)
	}
	config.RootCAs = roots
	config.VerifyConnection = func(state tls.ConnectionState) error {
		intermediates := x509.NewCertPool()
		for _, c := range state.PeerCertificates[1:] {
			intermediates.AddCert(c)
		}
		_, err := state.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: intermediates})
		return err
	}
	return config, nil
}

// clone gives each server its own TLS session cache.
func (p *probe) clone() *probe {
	forked := *p
	if p.tls != nil {
		forked.tls = p.tls.Clone()
		forked.tls.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	}
	return &forked
}

func (b *backend) watch(ctx context.Context, m *member) {
	for {
		b.mu.Lock()
		address := m.address
		b.mu.Unlock()
		if address.IsValid() {
			b.recordCheck(m, address, m.probe.run(ctx, address))
		}
		b.mu.Lock()
		pause := m.pause(m.health)
		b.mu.Unlock()
		if b.network.Clock.Sleep(ctx, pause) != nil {
			return
		}
	}
}

// recordCheck follows the real program: health rises by one, falls by one while the server is above rise, and is reset
// otherwise.
func (b *backend) recordCheck(m *member, address netip.Addr, failure error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m.address != address || errors.Is(failure, context.Canceled) {
		return
	}
	was := m.isUp()
	switch {
	case failure == nil && m.health+1 >= m.rise:
		m.health = m.rise + m.fall - 1
	case failure == nil:
		m.health++
	case m.health > m.rise:
		m.health--
	default:
		m.health = 0
	}
	switch {
	case was && !m.isUp():
		b.machine.Console("haproxy: Server %s/%s is DOWN, reason: %v", b.proxy.name, m.name, failure)
	case !was && m.isUp():
		b.machine.Console("haproxy: Server %s/%s is UP", b.proxy.name, m.name)
	}
}

// run returns why the server is not healthy. With a scaled clock the timeout is at least a second of wall-clock time, for the
// computation.
func (p *probe) run(ctx context.Context, address netip.Addr) error {
	ctx, cancel := context.WithTimeout(ctx, max(p.network.Clock.ToWall(p.timeout), time.Second))
	defer cancel()
	c, err := p.network.Dial(ctx, "tcp", netip.AddrPortFrom(address, uint16(p.port)).String())
	if err != nil {
		return fmt.Errorf("layer 4 connection problem: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	defer func() { _ = c.Close() }()
	return p.runCheck(ctx, c)
}

func (p *probe) runCheck(ctx context.Context, c net.Conn) error {
	if p.options.checkProxy || p.options.proxyProtocol != 0 && p.options.checkPort == 0 {
		if _, err := c.Write(buildProxyHeader(max(p.options.proxyProtocol, 1), c.LocalAddr(), c.RemoteAddr())); err != nil {
			return err
		}
	}
	if p.tls != nil {
		secure := tls.Client(c, p.tls)
		if err := secure.HandshakeContext(ctx); err != nil {
			return fmt.Errorf("layer 6 invalid response: %w", err)
		}
		c = secure
	}
	if !p.check.enabled {
		return nil
	}
	return p.check.sendRequest(c)
}

func (c httpCheck) sendRequest(conn net.Conn) error {
	request := []string{strings.Join([]string{c.method, c.uri, c.version}, " ")}
	request = append(append(request, c.headers...), "Connection: close", "", "")
	if _, err := conn.Write([]byte(strings.Join(request, "\r\n"))); err != nil {
		return err
	}
	answer, err := http.ReadResponse(bufio.NewReaderSize(conn, 1024), nil)
	if err != nil {
		return fmt.Errorf("layer 7 invalid response: %w", err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode < c.minStatus || answer.StatusCode > c.maxStatus {
		return fmt.Errorf("layer 7 wrong status, code: %d", answer.StatusCode)
	}
	return nil
}
