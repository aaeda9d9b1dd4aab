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

// proxies returns who is asked for a way to a URL: the task's proxies, or else the network's.
func proxies(n network.Network, chosen *reach.Proxy) (func(*url.URL) (*url.URL, error), error) {
	if chosen == nil {
		return proxyOf(n), nil
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

func proxyOf(n network.Network) func(*url.URL) (*url.URL, error) {
	return func(to *url.URL) (*url.URL, error) {
		if n.Proxy == nil {
			return nil, nil
		}
		return n.Proxy(&http.Request{Method: http.MethodGet, URL: to, Host: to.Host})
	}
}

// way returns the proxy that leads to the host, nil where there is none on the way. Whatever is no plain HTTP goes where
// https goes.
func (a *attempt) way() (*url.URL, error) {
	scheme := "https"
	if a.plain() {
		scheme = "http"
	}
	return a.prober.proxy(&url.URL{Scheme: scheme, Host: a.target.address(), Path: "/"})
}

// plain tells whether the host is asked by HTTP without TLS. Proxies take such requests themselves; many let no other
// port than 443 through.
func (a *attempt) plain() bool { return a.target.url.Scheme == "http" }

// through reaches the host by a proxy, which resolves the name: by CONNECT, or, for plain HTTP, by letting the proxy have
// the request.
func (a *attempt) through(ctx context.Context, proxy *url.URL) error {
	a.note(reach.EvidenceProxy, network.ProxyAddress(proxy))
	ctx, cancel := context.WithTimeout(ctx, a.prober.limits.TCP)
	defer cancel()
	began := time.Now()
	conn, err := a.dialThrough(ctx, proxy)
	a.noteTime(reach.EvidenceTCPTime, began)
	if err != nil {
		return a.keptOut(err)
	}
	a.layers.TCP = reach.LayerOK
	a.noteSource(conn)
	a.keep(conn)
	return nil
}

func (a *attempt) dialThrough(ctx context.Context, proxy *url.URL) (net.Conn, error) {
	if a.plain() && !network.IsSOCKS(proxy) {
		a.relay = proxy
		return a.prober.network.DialProxy(ctx, proxy)
	}
	return a.prober.network.Tunnel(ctx, proxy, a.target.address())
}

// keptOut says why a proxy does not let us through.
func (a *attempt) keptOut(err error) error {
	var refusal *network.ProxyError
	if !errors.As(err, &refusal) || refusal.Status == 0 {
		return a.fail(&a.layers.TCP, reach.ProxyRefused, err)
	}
	a.note(reach.EvidenceStatus, strings.TrimSpace(strconv.Itoa(refusal.Status)+" "+http.StatusText(refusal.Status)))
	if refusal.Status == http.StatusProxyAuthRequired {
		return a.fail(&a.layers.TCP, reach.ProxyAuth, err)
	}
	return a.fail(&a.layers.TCP, reach.ProxyRefused, err)
}
