package probe

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"exoshift/internal/network"
	"exoshift/wizard/reach"
)

// If the address names no target, the proxy is probed with a service that every installation needs.
const defaultProxyTarget = "api-ch-gva-2.exoscale.com:443"

func probeProxy(ctx context.Context, a *attempt) error {
	if err := a.resolve(ctx); err != nil {
		return err
	}
	if err := a.connectDirect(ctx); err != nil {
		return err
	}
	to := strings.Trim(a.target.url.Path, "/")
	if to == "" {
		to = defaultProxyTarget
	}
	ctx, cancel := context.WithTimeout(ctx, a.deps.Limits.HTTP)
	defer cancel()
	proxy := buildProxyURL(a)
	a.record(reach.EvidenceProxy, network.FormatProxyAddress(proxy))
	conn, err := a.deps.Network.ConnectThrough(ctx, proxy, to)
	if err != nil {
		return handleTunnelError(a, err)
	}
	a.keep(conn)
	a.layers.HTTP = reach.LayerOK
	return nil
}

func handleTunnelError(a *attempt, err error) error {
	err = a.handleProxyError(err)
	a.layers.TCP, a.layers.HTTP = reach.LayerOK, reach.LayerFail
	var refusal *network.ProxyError
	if class := reach.HTTPTimeout; errors.As(err, &refusal) && refusal.Status == 0 && isTimeout(err) {
		return a.fail(&a.layers.HTTP, class, refusal)
	}
	return err
}

func buildProxyURL(a *attempt) *url.URL {
	proxy := &url.URL{Scheme: "http", Host: a.target.address()}
	for _, chosen := range []*reach.Proxy{a.deps.Task.NodesProxy, a.deps.Task.Proxy} {
		if chosen == nil {
			continue
		}
		for _, text := range []string{chosen.HTTP, chosen.HTTPS} {
			known, err := url.Parse(text)
			if err == nil && known.Host != "" && strings.EqualFold(network.FormatProxyAddress(known), proxy.Host) {
				proxy.Scheme, proxy.User = known.Scheme, known.User
			}
		}
	}
	if own, err := url.Parse(a.check.URL); err == nil && own.User != nil {
		proxy.User = own.User
	}
	return proxy
}
