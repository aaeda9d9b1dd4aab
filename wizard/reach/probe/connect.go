package probe

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"exoshift/internal/network"
	"exoshift/wizard/reach"
)

func (a *attempt) connect(ctx context.Context) error {
	if a.conn != nil {
		return nil
	}
	proxy, err := a.findProxy()
	switch {
	case err != nil:
		return a.fail(&a.layers.TCP, reach.ProxyRefused, err)
	case proxy != nil:
		return a.connectProxy(ctx, proxy)
	}
	a.watchIPv6(ctx)
	if err := a.resolve(ctx); err != nil {
		return err
	}
	return a.connectDirect(ctx)
}

func (a *attempt) connectDirect(parent context.Context) error {
	ctx, cancel := context.WithTimeout(parent, a.deps.Limits.TCP)
	defer cancel()
	began := time.Now()
	conn, err := dialer{a.deps.Network, a.addresses, a.target.port}.dialFirst(ctx)
	a.recordDuration(reach.EvidenceTCPTime, began)
	if err != nil {
		a.recordRoute(parent)
		a.record(getFamilyKey(a.addresses), formatError(err))
		return a.fail(&a.layers.TCP, mapConnectError(err), err)
	}
	a.layers.TCP = reach.LayerOK
	a.record(getFamilyKey(a.addresses), "ok")
	a.record(reach.EvidenceAddress, conn.RemoteAddr().String())
	a.recordSource(conn)
	a.keep(conn)
	return nil
}

// recordRoute records the local address where no connection was made: a UDP connection sends nothing, but selects a
// route.
func (a *attempt) recordRoute(ctx context.Context) {
	conn, err := a.deps.Network.Dial(ctx, "udp", net.JoinHostPort(a.addresses[0].String(), a.target.port))
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	a.recordSource(conn)
}

func (a *attempt) findProxy() (*url.URL, error) {
	scheme := "https"
	if a.isPlainHTTP() {
		scheme = "http"
	}
	return a.deps.Proxy(&url.URL{Scheme: scheme, Host: a.target.address(), Path: "/"})
}

// Proxies take plain HTTP requests themselves; many open tunnels to port 443 only.
func (a *attempt) isPlainHTTP() bool { return a.target.url.Scheme == "http" }

// The proxy resolves the name. It uses CONNECT, or for plain HTTP sends the request to the proxy.
func (a *attempt) connectProxy(ctx context.Context, proxy *url.URL) error {
	a.record(reach.EvidenceProxy, network.FormatProxyAddress(proxy))
	ctx, cancel := context.WithTimeout(ctx, a.deps.Limits.TCP)
	defer cancel()
	began := time.Now()
	conn, err := a.dialProxy(ctx, proxy)
	a.recordDuration(reach.EvidenceTCPTime, began)
	if err != nil {
		return a.handleProxyError(err)
	}
	a.layers.TCP = reach.LayerOK
	a.recordSource(conn)
	a.keep(conn)
	return nil
}

func (a *attempt) dialProxy(ctx context.Context, proxy *url.URL) (net.Conn, error) {
	if a.isPlainHTTP() && !network.IsSOCKS(proxy) {
		a.relay = proxy
		return a.deps.Network.ConnectProxy(ctx, proxy)
	}
	return a.deps.Network.ConnectThrough(ctx, proxy, a.target.address())
}

func (a *attempt) handleProxyError(err error) error {
	var refusal *network.ProxyError
	if !errors.As(err, &refusal) || refusal.Status == 0 {
		return a.fail(&a.layers.TCP, reach.ProxyRefused, err)
	}
	a.record(reach.EvidenceStatus, strings.TrimSpace(strconv.Itoa(refusal.Status)+" "+http.StatusText(refusal.Status)))
	if refusal.Status == http.StatusProxyAuthRequired {
		return a.fail(&a.layers.TCP, reach.ProxyAuth, err)
	}
	return a.fail(&a.layers.TCP, reach.ProxyRefused, err)
}

var errNoDatagrams = errors.New("this machine gets out by a proxy, which carries no UDP")

// Behind a proxy nothing is sent around it.
func (a *attempt) resolveUDP(ctx context.Context) ([]string, error) {
	if proxy, err := a.findProxy(); err == nil && proxy != nil {
		return nil, errNoDatagrams
	}
	if err := a.resolve(ctx); err != nil {
		return nil, err
	}
	var list []string
	for _, address := range a.addresses {
		list = append(list, net.JoinHostPort(address.String(), a.target.port))
	}
	return list, nil
}

// No answer is a timeout, unless the host reported that the port is closed.
func (a *attempt) newUDPError(err error) error {
	if isTimeout(err) {
		return a.fail(&a.layers.TCP, reach.UDPTimeout, err)
	}
	return a.fail(&a.layers.TCP, mapConnectError(err), err)
}

func (a *attempt) handshake(ctx context.Context) error {
	if a.secure {
		return nil
	}
	if err := a.connect(ctx); err != nil {
		return diagnosis{a}.handleClosedPort(ctx, err)
	}
	began := time.Now()
	conn, err := a.performHandshake(ctx, a.deps.Now)
	a.recordDuration(reach.EvidenceTLSTime, began)
	if err != nil {
		return diagnosis{a}.handleTLSError(ctx, err)
	}
	a.keep(conn)
	a.secure, a.layers.TLS = true, reach.LayerOK
	a.checkCertificate(conn.ConnectionState().PeerCertificates[0])
	return nil
}

func (a *attempt) performHandshake(ctx context.Context, clock func() time.Time) (*tls.Conn, error) {
	config := a.deps.Network.NewTLSConfig()
	config.ServerName, config.Time, config.ClientSessionCache = a.target.host, clock, nil
	config.NextProtos = []string{"http/1.1"}
	defer a.limit(ctx, a.deps.Limits.TLS)()
	conn := tls.Client(a.conn, config)
	return conn, conn.HandshakeContext(ctx)
}

const (
	renewalMargin = 14 * 24 * time.Hour
	// shortLived certificates are renewed so late that only their last day counts.
	shortLived = 10 * 24 * time.Hour
)

func (a *attempt) checkCertificate(certificate *x509.Certificate) {
	a.recordCertificate(certificate)
	margin := renewalMargin
	if certificate.NotAfter.Sub(certificate.NotBefore) <= shortLived {
		margin = 24 * time.Hour
	}
	if certificate.NotAfter.Sub(a.deps.Now()) < margin {
		a.degrade(reach.Expired)
	}
}
