package probe

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpproxy"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/wizard/reach"
)

// newProxyFunc returns who is asked for a way to a URL: the task's proxies, or else the network's.
func newProxyFunc(n network.Network, chosen *reach.Proxy) (func(*url.URL) (*url.URL, error), error) {
	if chosen == nil {
		return newNetworkProxyFunc(n), nil
	}
	for _, text := range []string{chosen.HTTP, chosen.HTTPS} {
		if parsed, err := url.Parse(text); text != "" && (err != nil || parsed.Host == "") {
			return nil, fault.Newf(fault.Invalid, "read the proxies for the checks", "a proxy is not of the form http://host:port").
				WithHint("correct the proxies in the answers")
		}
	}
	config := httpproxy.Config{HTTPProxy: chosen.HTTP, HTTPSProxy: chosen.HTTPS, NoProxy: chosen.NoProxy}
	return config.ProxyFunc(), nil
}

func newNetworkProxyFunc(n network.Network) func(*url.URL) (*url.URL, error) {
	return func(to *url.URL) (*url.URL, error) {
		if n.Proxy == nil {
			return nil, nil
		}
		return n.Proxy(&http.Request{Method: http.MethodGet, URL: to, Host: to.Host})
	}
}

// findProxy returns the proxy that leads to the host, nil where there is none on the way. Whatever is no plain HTTP goes where
// https goes.
func (a *attempt) findProxy() (*url.URL, error) {
	scheme := "https"
	if a.isPlainHTTP() {
		scheme = "http"
	}
	return a.prober.proxy(&url.URL{Scheme: scheme, Host: a.target.address(), Path: "/"})
}

// isPlainHTTP tells whether the host is asked by HTTP without TLS. Proxies take such requests themselves; many let no other
// port than 443 through.
func (a *attempt) isPlainHTTP() bool { return a.target.url.Scheme == "http" }

// connectProxy reaches the host by a proxy, which resolves the name: by CONNECT, or, for plain HTTP, by letting the proxy have
// the request.
func (a *attempt) connectProxy(ctx context.Context, proxy *url.URL) error {
	a.record(reach.EvidenceProxy, network.FormatProxyAddress(proxy))
	ctx, cancel := context.WithTimeout(ctx, a.prober.limits.TCP)
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
		return a.prober.network.ConnectProxy(ctx, proxy)
	}
	return a.prober.network.ConnectThrough(ctx, proxy, a.target.address())
}

// handleProxyError says why a proxy does not let us through.
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
