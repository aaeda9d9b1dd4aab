package simcloud

import (
	"context"
	"crypto/x509/pkix"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"exoshift/internal/simcloud/fabric"
	"exoshift/internal/simcloud/middlebox"
	"exoshift/internal/simcloud/proxy"
	"exoshift/internal/simcloud/registry"
	"exoshift/internal/simcloud/server"
	"exoshift/internal/simcloud/services"
)

// Who stands between the operator, the zone and the internet in some scenarios.
const (
	gatewayAddress     = "192.0.2.1" // of the operator's network
	proxyAddress       = "192.0.2.2"
	zoneGatewayAddress = "198.51.100.2" // of the zone
	portalName         = "portal.guests.example"
	proxyName          = "proxy.corp.example"
	proxyPort          = 3128
	innerAddress       = "10.20.30.40" // where nobody answers
)

// wayOf returns what happens to packets and names in a scenario.
func wayOf(scenario string) way {
	switch scenario {
	case imagePullFailed:
		return way{drops: leaving(isInstance, registry.Host)} // whoever filters what leaves the zone forgot it
	case tlsInterception:
		return way{middle: through(gatewayAddress, encrypted), build: interceptedAt(gatewayAddress)}
	case cdnBlocked:
		return way{drops: leaving(everybody, append(registry.QuayLayers(), "cdn.quay.io")...)}
	case splitDNS:
		return way{views: views(innerAddress, "quay.io", "registry.redhat.io")}
	case noSuchName:
		return way{unknown: []string{"registry.redhat.io"}}
	case proxyAuth:
		return way{drops: direct, views: views(proxyAddress, proxyName), blind: true, proxy: throughProxy, build: (*Zone).openProxy}
	case captivePortal:
		return way{middle: through(gatewayAddress, browsed), views: views(gatewayAddress, portalName), build: (*Zone).openPortal}
	case slowRegistry:
		return way{delay: 5 * time.Second}
	case wrongClock:
		return way{ahead: 17 * time.Minute}
	case zoneOnly:
		return way{
			drops:  leaving(isInstance, "cdn01.quay.io"),
			middle: towards(zoneGatewayAddress, "registry.redhat.io"), build: interceptedAt(zoneGatewayAddress),
		}
	}
	return way{}
}

func everybody(netip.Addr) bool { return true }

// browsed tells whether browsers use a port.
func browsed(port int) bool { return port == 80 || encrypted(port) }

// leaving drops what some hosts send to these names.
func leaving(whose func(netip.Addr) bool, names ...string) func(from, to netip.Addr) bool {
	known, closed := services.Names(), map[netip.Addr]bool{}
	for _, name := range names {
		closed[netip.MustParseAddr(known[name])] = true
	}
	return func(from, to netip.Addr) bool { return whose(from) && closed[to] }
}

// through leads what the operator sends to some ports to a host in the middle.
func through(middle string, ports func(int) bool) func(from, to netip.Addr, port int) netip.Addr {
	at := netip.MustParseAddr(middle)
	return func(from, to netip.Addr, port int) netip.Addr {
		if isOperator(from) && ports(port) && to != at {
			return at
		}
		return netip.Addr{}
	}
}

// towards leads what the zone's machines send by TLS to a name to a host in the middle.
func towards(middle, name string) func(from, to netip.Addr, port int) netip.Addr {
	at, meant := netip.MustParseAddr(middle), netip.MustParseAddr(services.Names()[name])
	return func(from, to netip.Addr, port int) netip.Addr {
		if isInstance(from) && to == meant && encrypted(port) {
			return at
		}
		return netip.Addr{}
	}
}

// direct drops what the operator sends to anybody but the proxy and the resolver.
func direct(from, to netip.Addr) bool {
	return isOperator(from) && to.String() != proxyAddress && to.String() != operatorResolver
}

// views are names with an address that only the operator's network knows.
func views(address string, names ...string) map[string]netip.Addr {
	said := map[string]netip.Addr{}
	for _, name := range names {
		said[name] = netip.MustParseAddr(address)
	}
	return said
}

func throughProxy(*http.Request) (*url.URL, error) {
	return &url.URL{Scheme: "http", Host: net.JoinHostPort(proxyName, strconv.Itoa(proxyPort))}, nil
}

// interceptedAt returns how an interceptor is brought up.
func interceptedAt(address string) func(z *Zone) error {
	return func(z *Zone) (err error) {
		if z.interceptor, err = fabric.NewAuthority(pkix.Name{CommonName: "Corp Proxy CA"}); err != nil {
			return err
		}
		return z.middle(address, 0, func(_ context.Context, host *fabric.Host, l net.Listener) error {
			return middlebox.NewInterceptor(z.interceptor, host.Network(z.ca.Pool())).Serve(l)
		})
	}
}

// openPortal brings up the portal of a network for guests.
func (z *Zone) openPortal() error {
	settings, err := z.ca.ServerTLS(portalName)
	if err != nil {
		return err
	}
	portal := middlebox.Portal{Name: portalName, TLS: settings}
	return z.middle(gatewayAddress, 0, func(_ context.Context, _ *fabric.Host, l net.Listener) error { return portal.Serve(l) })
}

// openProxy brings up the proxy of a company.
func (z *Zone) openProxy() error {
	return z.middle(proxyAddress, proxyPort, func(ctx context.Context, host *fabric.Host, l net.Listener) error {
		return proxy.ServeMembers(ctx, l, host.Network(z.ca.Pool()), ProxyAccount())
	})
}

// middle brings up a host that stands between others.
func (z *Zone) middle(address string, port int, serve func(context.Context, *fabric.Host, net.Listener) error) error {
	return z.servers.Add(server.Site{Address: address, Ports: []server.Port{server.Listener{Port: port, Serve: serve}}})
}

// InterceptorAuthority returns the certificate of the authority that the scenario's interceptor has, as PEM; nil if there
// is no interceptor.
func (z *Zone) InterceptorAuthority() []byte {
	if z.interceptor == nil {
		return nil
	}
	return z.interceptor.PEM()
}

// ProxyAccount is whom the proxy of the scenario proxy-auth lets through.
func ProxyAccount() *url.Userinfo { return url.UserPassword("operator", "open-sesame") }
