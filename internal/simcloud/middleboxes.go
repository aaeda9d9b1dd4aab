package simcloud

import (
	"context"
	"crypto/x509/pkix"
	"net"
	"net/url"

	"exoshift/internal/simcloud/fabric"
	"exoshift/internal/simcloud/middlebox"
	"exoshift/internal/simcloud/proxy"
	"exoshift/internal/simcloud/server"
)

// Hosts in the middle between the operator, the zone and the internet in some scenarios.
const (
	gatewayAddress     = "192.0.2.1" // of the operator's network
	proxyAddress       = "192.0.2.2"
	zoneGatewayAddress = "198.51.100.2" // of the zone
	portalName         = "portal.guests.example"
	proxyName          = "proxy.corp.example"
	proxyPort          = 3128
)

// middleboxes are the hosts in the middle.
type middleboxes struct {
	servers *server.Servers
	ca      *fabric.CA
	// interceptor is the authority of the TLS interceptors; nil if there is none.
	interceptor *fabric.CA
}

// open starts the hosts that a fault needs.
func (m *middleboxes) open(fault networkFault) error {
	opened := map[string]bool{}
	for _, t := range fault.intercepted {
		if address := gatewayOf(t.from); !opened[address] {
			opened[address] = true
			if err := m.openInterceptor(address); err != nil {
				return err
			}
		}
	}
	if fault.Portal {
		if err := m.openPortal(); err != nil {
			return err
		}
	}
	if fault.Proxy {
		return m.openProxy()
	}
	return nil
}

func (m *middleboxes) openInterceptor(address string) (err error) {
	if m.interceptor == nil {
		if m.interceptor, err = fabric.NewAuthority(pkix.Name{CommonName: "Corp Proxy CA"}); err != nil {
			return err
		}
	}
	return m.add(address, 0, func(_ context.Context, host *fabric.Host, l net.Listener) error {
		return middlebox.NewInterceptor(m.interceptor, host.Network(m.ca.Pool())).Serve(l)
	})
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
