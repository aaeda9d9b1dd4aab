package connection

import (
	"context"
	"crypto/tls"
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

// Connect connects by TCP to the first address that answers, or through the proxy.
func (a *Attempt) Connect(ctx context.Context) error {
	if a.Conn != nil {
		return nil
	}
	proxy, err := a.FindProxy()
	switch {
	case err != nil:
		return a.Fail(&a.Layers.TCP, reach.ProxyRefused, err)
	case proxy != nil:
		return a.connectProxy(ctx, proxy)
	}
	a.watchIPv6(ctx)
	if err := a.Resolve(ctx); err != nil {
		return err
	}
	return a.ConnectDirect(ctx)
}

// ConnectDirect connects to the resolved addresses, around any proxy.
func (a *Attempt) ConnectDirect(parent context.Context) error {
	ctx, cancel := context.WithTimeout(parent, a.Deps.Limits.TCP)
	defer cancel()
	began := time.Now()
	conn, err := dialer{a.Deps.Network, a.addresses, a.Target.Port}.dialFirst(ctx)
	a.RecordDuration(reach.EvidenceTCPTime, began)
	if err != nil {
		a.recordRoute(parent)
		a.Record(getFamilyKey(a.addresses), FormatError(err))
		return a.Fail(&a.Layers.TCP, a.classifyUnreachable(parent, MapConnectError(err), time.Since(began)), err)
	}
	a.Layers.TCP = reach.LayerOK
	a.Record(getFamilyKey(a.addresses), "ok")
	a.Record(reach.EvidenceAddress, conn.RemoteAddr().String())
	a.RecordSource(conn)
	a.Keep(conn)
	return nil
}

// recordRoute records the local address where no connection was made: a UDP connection sends nothing, but selects a
// route.
func (a *Attempt) recordRoute(ctx context.Context) {
	conn, err := a.Deps.Network.Dial(ctx, "udp", net.JoinHostPort(a.addresses[0].String(), a.Target.Port))
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	a.RecordSource(conn)
}

// A router that refuses answers at once. A host or a gateway that does not answer on its own network is given up after
// three requests, one second each.
const neighborLimit = 2 * time.Second

// classifyUnreachable tells a rule from a host that is down, and a missing route from a machine without IPv4.
func (a *Attempt) classifyUnreachable(ctx context.Context, class reach.Class, took time.Duration) reach.Class {
	switch {
	case class == reach.Prohibited && took >= neighborLimit:
		return reach.NoRoute
	case class == reach.NoRoute && a.addresses[0].Is4() && !a.hasRoute(ctx, "1.1.1.1") && a.hasRoute(ctx, "2606:4700:4700::1111"):
		return reach.NoIPv4
	}
	return class
}

// hasRoute reports whether a route leads to a public address. Nothing is sent there.
func (a *Attempt) hasRoute(ctx context.Context, address string) bool {
	conn, err := a.Deps.Network.Dial(ctx, "udp", net.JoinHostPort(address, "53"))
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}

// FindProxy returns the proxy for the target, nil for none.
func (a *Attempt) FindProxy() (*url.URL, error) {
	scheme := "https"
	if a.isPlainHTTP() {
		scheme = "http"
	}
	return a.Deps.Proxy(&url.URL{Scheme: scheme, Host: a.Target.Address(), Path: "/"})
}

// Proxies take plain HTTP requests themselves; many open tunnels to port 443 only.
func (a *Attempt) isPlainHTTP() bool { return a.Target.URL.Scheme == "http" }

// The proxy resolves the name. It uses CONNECT, or for plain HTTP sends the request to the proxy.
func (a *Attempt) connectProxy(ctx context.Context, proxy *url.URL) error {
	a.Record(reach.EvidenceProxy, network.FormatProxyAddress(proxy))
	ctx, cancel := context.WithTimeout(ctx, a.Deps.Limits.TCP)
	defer cancel()
	began := time.Now()
	conn, err := a.dialProxy(ctx, proxy)
	a.RecordDuration(reach.EvidenceTCPTime, began)
	if err != nil {
		return a.HandleProxyError(proxy, err)
	}
	a.Layers.TCP = reach.LayerOK
	a.RecordSource(conn)
	a.Keep(conn)
	return nil
}

func (a *Attempt) dialProxy(ctx context.Context, proxy *url.URL) (net.Conn, error) {
	if a.isPlainHTTP() && !network.IsSOCKS(proxy) {
		a.relay = proxy
		return a.Deps.Network.ConnectProxy(ctx, proxy)
	}
	return a.Deps.Network.ConnectThrough(ctx, proxy, a.Target.Address())
}

// HandleProxyError returns the failure of a connection to or through a proxy.
func (a *Attempt) HandleProxyError(proxy *url.URL, err error) error {
	var refusal *network.ProxyError
	if !errors.As(err, &refusal) || refusal.Status == 0 {
		return a.Fail(&a.Layers.TCP, mapProxyError(err), err)
	}
	a.Record(reach.EvidenceStatus, strings.TrimSpace(strconv.Itoa(refusal.Status)+" "+http.StatusText(refusal.Status)))
	if refusal.Status == http.StatusProxyAuthRequired && proxy.User != nil {
		return a.Fail(&a.Layers.TCP, reach.ProxyPassword, refusal)
	}
	if refusal.Status == http.StatusProxyAuthRequired {
		return a.Fail(&a.Layers.TCP, reach.ProxyAuth, err)
	}
	return a.Fail(&a.Layers.TCP, reach.ProxyRefused, err)
}

// ErrNoDatagrams means that nothing can be found out by UDP from here.
var ErrNoDatagrams = errors.New("this machine uses a proxy, which does not support UDP")

// ResolveUDP returns the addresses of the target, with the port. Behind a proxy nothing is sent around it.
func (a *Attempt) ResolveUDP(ctx context.Context) ([]string, error) {
	if proxy, err := a.FindProxy(); err == nil && proxy != nil {
		return nil, ErrNoDatagrams
	}
	if err := a.Resolve(ctx); err != nil {
		return nil, err
	}
	var list []string
	for _, address := range a.addresses {
		list = append(list, net.JoinHostPort(address.String(), a.Target.Port))
	}
	return list, nil
}

// NewUDPError returns the failure of a datagram that was not answered. No answer is a timeout, unless the host reported that the port is closed.
func (a *Attempt) NewUDPError(err error) error {
	if IsTimeout(err) {
		return a.Fail(&a.Layers.TCP, reach.UDPTimeout, err)
	}
	return a.Fail(&a.Layers.TCP, MapConnectError(err), err)
}

// Handshake connects, if that was not done, and does a TLS handshake.
func (a *Attempt) Handshake(ctx context.Context) error {
	if a.secure {
		return nil
	}
	if err := a.Connect(ctx); err != nil {
		return diagnosis{a}.handleClosedPort(ctx, err)
	}
	began := time.Now()
	conn, err := a.performHandshake(ctx, a.Deps.Now)
	a.RecordDuration(reach.EvidenceTLSTime, began)
	if err != nil {
		return diagnosis{a}.handleTLSError(ctx, err)
	}
	a.Keep(conn)
	a.secure, a.Layers.TLS = true, reach.LayerOK
	a.checkCertificate(conn.ConnectionState())
	return nil
}

func (a *Attempt) performHandshake(ctx context.Context, clock func() time.Time) (*tls.Conn, error) {
	config := a.Deps.Network.NewTLSConfig()
	config.ServerName, config.Time, config.ClientSessionCache = a.Target.Host, clock, nil
	config.NextProtos = []string{"http/1.1"}
	defer a.Limit(ctx, a.Deps.Limits.TLS)()
	conn := tls.Client(a.Conn, config)
	return conn, conn.HandshakeContext(ctx)
}

const (
	renewalMargin = 14 * 24 * time.Hour
	// shortLived certificates are renewed so late that only their last day counts.
	shortLived = 10 * 24 * time.Hour
)

func (a *Attempt) checkCertificate(state tls.ConnectionState) {
	certificate := state.PeerCertificates[0]
	a.recordCertificate(certificate)
	inspection{a}.check(state)
	margin := renewalMargin
	if certificate.NotAfter.Sub(certificate.NotBefore) <= shortLived {
		margin = 24 * time.Hour
	}
	if certificate.NotAfter.Sub(a.Deps.Now()) < margin {
		a.Degrade(reach.Expired)
	}
}
