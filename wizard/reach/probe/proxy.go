package probe

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"exoshift/internal/network"
	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe/connection"
)

// If the address names no target, the proxy is probed with a service that every installation needs.
const defaultProxyTarget = "api-ch-gva-2.exoscale.com:443"

func probeProxy(ctx context.Context, a *connection.Attempt) error {
	if err := a.Resolve(ctx); err != nil {
		return err
	}
	if err := a.ConnectDirect(ctx); err != nil {
		return err
	}
	to := strings.Trim(a.Target.URL.Path, "/")
	if to == "" {
		to = defaultProxyTarget
	}
	ctx, cancel := context.WithTimeout(ctx, a.Deps.Limits.HTTP)
	defer cancel()
	proxy := buildProxyURL(a)
	a.Record(reach.EvidenceProxy, network.FormatProxyAddress(proxy))
	conn, err := a.Deps.Network.ConnectThrough(ctx, proxy, to)
	if err != nil {
		return handleTunnelError(a, proxy, err)
	}
	a.Keep(conn)
	a.Layers.HTTP = reach.LayerOK
	return nil
}

func handleTunnelError(a *connection.Attempt, proxy *url.URL, err error) error {
	err = a.HandleProxyError(proxy, err)
	a.Layers.TCP, a.Layers.HTTP = reach.LayerOK, reach.LayerFail
	var refusal *network.ProxyError
	if class := reach.HTTPTimeout; errors.As(err, &refusal) && refusal.Status == 0 && connection.IsTimeout(err) {
		return a.Fail(&a.Layers.HTTP, class, refusal)
	}
	return err
}

func buildProxyURL(a *connection.Attempt) *url.URL {
	proxy := &url.URL{Scheme: "http", Host: a.Target.Address()}
	for _, chosen := range []*reach.Proxy{a.Deps.Task.NodesProxy, a.Deps.Task.Proxy} {
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
	if own, err := url.Parse(a.Check.URL); err == nil && own.User != nil {
		proxy.User = own.User
	}
	return proxy
}
