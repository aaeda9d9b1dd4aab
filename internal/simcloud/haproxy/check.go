package haproxy

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/fabric"
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
	last    *checkConn  // of the last check, if the next may use it, too; nil otherwise
}

// maxCheckConnAge is how long a connection is used for checks: as long as the real program resumes a TLS session
// (tune.ssl.lifetime), within which it does not look at the certificate either.
const maxCheckConnAge = 5 * time.Minute

// maxCheckBody is how many bytes of an answer are read; of a longer one only the status counts.
const maxCheckBody = 64 << 10

// checkConn is a connection that checks share. The real program connects for each check; here that takes most of the time of a
// zone at rest, and the outcome is the same as long as a new connection would reach the same listener.
type checkConn struct {
	net.Conn
	reader    *bufio.Reader
	dialed    net.Conn // below TLS
	address   netip.Addr
	connected time.Time
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
	config := &tls.Config{ServerName: o.checkSNI, MinVersion: tls.VersionTLS12, MaxVersion: tls.VersionTLS12,
		CurvePreferences: []tls.CurveID{tls.CurveP256}}
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
	defer m.probe.close()
	for {
		b.mu.Lock()
		address := m.address
		b.mu.Unlock()
		if !address.IsValid() {
			select {
			case <-m.assigned:
			case <-ctx.Done():
				return
			}
			continue
		}
		b.recordCheck(m, address, m.probe.run(ctx, address))
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
	if len(p.check.sequence) > 0 {
		return p.runSequence(ctx, address)
	}
	if done, err := p.runAgain(ctx, address); done {
		return err
	}
	c, err := p.network.Dial(ctx, "tcp", netip.AddrPortFrom(address, uint16(p.port)).String())
	if err != nil {
		return fmt.Errorf("layer 4 connection problem: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	made, err := p.connect(ctx, c)
	reusable := false
	if err == nil && p.check.enabled {
		reusable, err = p.check.sendRequest(made)
	}
	if !reusable {
		_ = c.Close()
		return err
	}
	made.dialed, made.address, made.connected = c, address, p.network.Clock.Now()
	p.last = made
	return err
}

// runAgain checks by the connection of the last check. Unless it gets an answer there, a new connection decides.
func (p *probe) runAgain(ctx context.Context, address netip.Addr) (done bool, err error) {
	last := p.last
	if last == nil {
		return false, nil
	}
	if last.address == address && p.network.Clock.Now().Sub(last.connected) < maxCheckConnAge && fabric.IsRedialable(last.dialed) {
		stop := context.AfterFunc(ctx, func() { _ = last.Close() })
		defer stop()
		reusable, err := p.check.sendRequest(last)
		if reusable {
			return true, err
		}
	}
	p.close()
	return false, nil
}

func (p *probe) close() {
	if p.last != nil {
		_ = p.last.Close()
		p.last = nil
	}
}

// connect sends what the options ask for before the request.
func (p *probe) connect(ctx context.Context, c net.Conn) (*checkConn, error) {
	if p.options.checkProxy || p.options.proxyProtocol != 0 && p.options.checkPort == 0 {
		if err := p.sendHeader(c); err != nil {
			return nil, err
		}
	}
	if p.tls != nil {
		secure := tls.Client(c, p.tls)
		if err := secure.HandshakeContext(ctx); err != nil {
			return nil, fmt.Errorf("layer 6 invalid response: %w", err)
		}
		c = secure
	}
	return newCheckConn(c), nil
}

func newCheckConn(c net.Conn) *checkConn {
	return &checkConn{Conn: c, reader: bufio.NewReaderSize(c, 1024)}
}

// sendRequest returns why the server is not healthy, and whether it leaves the connection open for another request.
func (c httpCheck) sendRequest(conn *checkConn) (reusable bool, err error) {
	request := []string{strings.Join([]string{c.method, c.uri, c.version}, " ")}
	request = append(append(request, c.headers...), "Connection: keep-alive", "", "")
	if _, err := conn.Write([]byte(strings.Join(request, "\r\n"))); err != nil {
		return false, err
	}
	answer, err := http.ReadResponse(conn.reader, nil)
	if err != nil {
		return false, fmt.Errorf("layer 7 invalid response: %w", err)
	}
	size, err := io.Copy(io.Discard, io.LimitReader(answer.Body, maxCheckBody))
	_ = answer.Body.Close()
	reusable = err == nil && size < maxCheckBody && !answer.Close
	if answer.StatusCode < c.minStatus || answer.StatusCode > c.maxStatus {
		return reusable, fmt.Errorf("layer 7 wrong status, code: %d", answer.StatusCode)
	}
	return reusable, nil
}
