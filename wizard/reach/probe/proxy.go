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

func (a *attempt) findProxy() (*url.URL, error) {
	scheme := "https"
	if a.isPlainHTTP() {
		scheme = "http"
	}
	return a.prober.proxy(&url.URL{Scheme: scheme, Host: a.target.address(), Path: "/"})
}

// Proxies take plain HTTP requests themselves; many open tunnels to port 443 only.
func (a *attempt) isPlainHTTP() bool { return a.target.url.Scheme == "http" }

// The proxy resolves the name. It uses CONNECT, or for plain HTTP sends the request to the proxy.
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
