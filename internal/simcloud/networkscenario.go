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

// Hosts in the middle between the operator, the zone and the internet in some scenarios.
const (
	gatewayAddress     = "192.0.2.1" // of the operator's network
	proxyAddress       = "192.0.2.2"
	zoneGatewayAddress = "198.51.100.2" // of the zone
	portalName         = "portal.guests.example"
	proxyName          = "proxy.corp.example"
	proxyPort          = 3128
	innerAddress       = "10.20.30.40" // an unused address
)

// newNetworkFault returns the effect of a scenario on packets and names.
func newNetworkFault(scenario string) networkFault {
	switch scenario {
	case imagePullFailed:
		return networkFault{drop: dropTraffic(isInstance, registry.Host)} // the egress filter is missing
	case tlsInterception:
		return networkFault{redirect: redirectOperator(gatewayAddress, isTLSPort), setup: newInterceptorSetup(gatewayAddress)}
	case cdnBlocked:
		return networkFault{drop: dropTraffic(isAnyHost, append(registry.QuayLayers(), "cdn.quay.io")...)}
	case splitDNS:
		return networkFault{records: mapNames(innerAddress, "quay.io", "registry.redhat.io")}
	case noSuchName:
		return networkFault{missingNames: []string{"registry.redhat.io"}}
	case proxyAuth:
		return networkFault{drop: isBypassingProxy, records: mapNames(proxyAddress, proxyName), onlyRecords: true, proxy: getProxyURL, setup: (*middleboxes).openProxy}
	case captivePortal:
		return networkFault{redirect: redirectOperator(gatewayAddress, isWebPort), records: mapNames(gatewayAddress, portalName), setup: (*middleboxes).openPortal}
	case slowRegistry:
		return networkFault{registryDelay: 5 * time.Second}
	case wrongClock:
		return networkFault{clockOffset: 17 * time.Minute}
	case zoneOnly:
		return networkFault{
			drop:     dropTraffic(isInstance, "cdn01.quay.io"),
			redirect: redirectMachines(zoneGatewayAddress, "registry.redhat.io"), setup: newInterceptorSetup(zoneGatewayAddress),
		}
	}
	return networkFault{}
}

func isAnyHost(netip.Addr) bool { return true }

func isWebPort(port int) bool { return port == 80 || isTLSPort(port) }

// dropTraffic drops packets of some hosts to these names.
func dropTraffic(whose func(netip.Addr) bool, names ...string) func(from, to netip.Addr) bool {
	known, closed := services.Addresses(), map[netip.Addr]bool{}
	for _, name := range names {
		closed[netip.MustParseAddr(known[name])] = true
	}
	return func(from, to netip.Addr) bool { return whose(from) && closed[to] }
}

// redirectOperator redirects the operator's packets to some ports to a host in the middle.
func redirectOperator(middle string, ports func(int) bool) func(from, to netip.Addr, port int) netip.Addr {
	at := netip.MustParseAddr(middle)
	return func(from, to netip.Addr, port int) netip.Addr {
		if isOperator(from) && ports(port) && to != at {
			return at
		}
		return netip.Addr{}
	}
}

// redirectMachines redirects the machines' TLS connections to a name to a host in the middle.
func redirectMachines(middle, name string) func(from, to netip.Addr, port int) netip.Addr {
	at, meant := netip.MustParseAddr(middle), netip.MustParseAddr(services.Addresses()[name])
	return func(from, to netip.Addr, port int) netip.Addr {
		if isInstance(from) && to == meant && isTLSPort(port) {
			return at
		}
		return netip.Addr{}
	}
}

// isBypassingProxy matches the operator's packets to anything except the proxy and the resolver.
func isBypassingProxy(from, to netip.Addr) bool {
	return isOperator(from) && to.String() != proxyAddress && to.String() != operatorResolver
}

func mapNames(address string, names ...string) map[string]netip.Addr {
	said := map[string]netip.Addr{}
	for _, name := range names {
		said[name] = netip.MustParseAddr(address)
	}
	return said
}

func getProxyURL(*http.Request) (*url.URL, error) {
	return &url.URL{Scheme: "http", Host: net.JoinHostPort(proxyName, strconv.Itoa(proxyPort))}, nil
}

// middleboxes are the hosts in the middle.
type middleboxes struct {
	servers *server.Servers
	ca      *fabric.CA
	// interceptor is the authority of the scenario's TLS interceptor; nil if there is none.
	interceptor *fabric.CA
}

func newInterceptorSetup(address string) func(*middleboxes) error {
	return func(m *middleboxes) (err error) {
		if m.interceptor, err = fabric.NewAuthority(pkix.Name{CommonName: "Corp Proxy CA"}); err != nil {
			return err
		}
		return m.add(address, 0, func(_ context.Context, host *fabric.Host, l net.Listener) error {
			return middlebox.NewInterceptor(m.interceptor, host.Network(m.ca.Pool())).Serve(l)
		})
	}
}

func (m *middleboxes) openPortal() error {
	settings, err := m.ca.NewServerTLS(portalName)
	if err != nil {
		return err
	}
	portal := middlebox.Portal{Name: portalName, TLS: settings}
	return m.add(gatewayAddress, 0, func(_ context.Context, _ *fabric.Host, l net.Listener) error { return portal.Serve(l) })
}

func (m *middleboxes) openProxy() error {
	return m.add(proxyAddress, proxyPort, func(ctx context.Context, host *fabric.Host, l net.Listener) error {
		return proxy.ServeMembers(ctx, l, host.Network(m.ca.Pool()), ProxyAccount())
	})
}

func (m *middleboxes) add(address string, port int, serve func(context.Context, *fabric.Host, net.Listener) error) error {
	return m.servers.Add(server.Site{Address: address, Ports: []server.Port{server.Listener{Port: port, Serve: serve}}})
}

// ProxyAccount returns the credentials that the proxy of the scenario proxy-auth accepts.
func ProxyAccount() *url.Userinfo { return url.UserPassword("operator", "open-sesame") }
