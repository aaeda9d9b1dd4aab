package e2e

import (
	"net/netip"
	"testing"
	"time"

	"exoshift/assets"
)

func TestLoadBalancer_SwitchesToMasters(t *testing.T) {
	w, ok := newWorld(t)
	if !ok {
		return
	}
	lb := w.balancer(assets.LoadBalancer{Masters: 3, Routers: 2})
	w.eventually(5*time.Second, lb.healthy)
	if who, _, err := lb.ask(0, api); err == nil {
		t.Fatalf("%s answers, and no name exists", who)
	}

	bootstrap := w.master("bootstrap", 10)
	w.names.set("bootstrap", bootstrap)
	w.eventually(8*time.Second, all(lb.serves(api, "bootstrap"), lb.serves(machineConfig, "bootstrap")))

	first := w.master("etcd-0", 20)
	first.sick.Store(true)
	w.names.set("etcd-0", first)
	w.eventually(12*time.Second, all(lb.has("api", "DOWN", "etcd-0"), lb.serves(api, "bootstrap")))

	first.sick.Store(false)
	second, third := w.master("etcd-1", 21), w.master("etcd-2", 22)
	w.names.set("etcd-1", second)
	w.names.set("etcd-2", third)
	masters := []string{"etcd-0", "etcd-1", "etcd-2"}
	w.eventually(20*time.Second, all(lb.has("api", "UP", "bootstrap"), lb.serves(api, masters...), lb.serves(machineConfig, masters...)))

	w.names.set("bootstrap")
	second.sick.Store(true)
	const most = 30 * time.Second // of OpenShift's, to find out that a master is not ready
	w.eventually(most, all(lb.has("api", "DOWN", "etcd-1"), lb.serves(api, "etcd-0", "etcd-2")))
	second.sick.Store(false)
	w.eventually(45*time.Second, all(lb.has("api", "MAINT", "bootstrap"), lb.has("machine-config", "MAINT", "bootstrap"), lb.serves(api, masters...)))
	lb.untouched()
}

func TestLoadBalancer_RoutersChangeWithoutReload(t *testing.T) {
	w, ok := newWorld(t)
	if !ok {
		return
	}
	lb := w.balancer(assets.LoadBalancer{Masters: 3, Routers: 4})
	one, two, three := w.router("infra-0", 30, false), w.router("infra-1", 31, false), w.router("infra-2", 32, false)
	serve := func(routers ...string) check {
		return all(lb.serves(ingressHTTP, routers...), lb.serves(ingressHTTPS, routers...))
	}
	w.names.set("router", one, two)
	w.eventually(8*time.Second, serve("infra-0", "infra-1"))
	two.sick.Store(true)
	w.eventually(30*time.Second, serve("infra-0"))
	two.sick.Store(false)
	w.names.set("router", two, three)
	w.eventually(50*time.Second, serve("infra-1", "infra-2"))
	lb.untouched()
}

func TestLoadBalancer_SendsProxyProtocol(t *testing.T) {
	w, ok := newWorld(t)
	if !ok {
		return
	}
	lb := w.balancer(assets.LoadBalancer{Masters: 3, Routers: 4, ProxyProtocol: true})
	w.names.set("router", w.router("infra-0", 30, true))
	for _, port := range []uint16{ingressHTTP, ingressHTTPS} {
		w.eventually(10*time.Second, lb.serves(port, "infra-0"))
		if _, seen, err := lb.ask(7, port); err != nil || seen != "10.0.0.107" {
			t.Errorf("port %d: the client 10.0.0.107 is seen as %q (%v)", port, seen, err)
		}
	}
	// The checks go on, with the protocol and without it.
	w.eventually(10*time.Second, lb.has("routers-http", "DOWN", "router1"))
	w.throughout(12*time.Second, all(lb.has("routers-http-proxy", "UP", "router1"), lb.has("routers-http", "DOWN", "router1")))
}

func TestLoadBalancer_RoutersChangeProtocolOneAtATime(t *testing.T) {
	w, ok := newWorld(t)
	if !ok {
		return
	}
	lb := w.balancer(assets.LoadBalancer{Masters: 3, Routers: 4})
	routers := []*machine{w.router("infra-0", 30, false), w.router("infra-1", 31, false)}
	w.names.set("router", routers...)
	both := all(lb.serves(ingressHTTP, "infra-0", "infra-1"), lb.serves(ingressHTTPS, "infra-0", "infra-1"))
	w.eventually(10*time.Second, all(both, lb.has("routers-http-proxy", "DOWN", "router1", "router2"), lb.has("routers-https-proxy", "DOWN", "router1", "router2")))
	for _, proxied := range []bool{true, false} {
		for _, router := range routers {
			router.sick.Store(true) // it ends gracefully: no longer ready, and at work for OpenShift's 45 s
			w.throughout(16*time.Second, lb.answers())
			router.route(proxied)
			router.sick.Store(false)
			w.throughout(9*time.Second, lb.answers())
		}
		w.eventually(10*time.Second, both)
		if _, seen, err := lb.ask(7, ingressHTTPS); err != nil || (seen == "10.0.0.107") != proxied {
			t.Errorf("PROXY protocol %t: the client 10.0.0.107 is seen as %q (%v)", proxied, seen, err)
		}
	}
	lb.untouched()
}

// A new router that does not answer yet must not draw the connections of all others to the back end of the other kind.
func TestLoadBalancer_SilentRouterDrawsNothing(t *testing.T) {
	w, ok := newWorld(t)
	if !ok {
		return
	}
	lb := w.balancer(assets.LoadBalancer{Masters: 3, Routers: 4})
	first := w.router("infra-0", 30, false)
	w.names.set("router", first)
	w.eventually(10*time.Second, all(lb.serves(ingressHTTPS, "infra-0"), lb.has("routers-http-proxy", "DOWN", "router1"), lb.has("routers-https-proxy", "DOWN", "router1")))
	w.names.set("router", first, w.machine("infra-1", 31))
	w.throughout(12*time.Second, lb.answers())
}

func TestLoadBalancer_ReturnsClientAddress(t *testing.T) {
	w, ok := newWorld(t)
	if !ok {
		return
	}
	lb := w.balancer(assets.LoadBalancer{Masters: 3, Routers: 4})
	w.eventually(5*time.Second, lb.healthy)
	client := netip.MustParseAddr("10.0.0.107")
	w.own(client)
	to := netip.AddrPortFrom(netip.MustParseAddr("10.0.0.2"), health)
	status, said, err := lb.get(client, to, "http", "/address")
	if err != nil || status != 200 || said != client.String() {
		t.Errorf("%d %q, %v", status, said, err)
	}
	if status, _, err = lb.get(client, to, "http", "/"); err != nil || status != 503 {
		t.Errorf("what nobody asks for: %d, %v", status, err)
	}
	must(t, lb.healthy())
}

func TestLoadBalancer_SkipsBrokenTLS(t *testing.T) {
	w, ok := newWorld(t)
	if !ok {
		return
	}
	lb := w.balancer(assets.LoadBalancer{Masters: 3, Routers: 4})
	good, plain, wrong := w.master("etcd-0", 20), w.machine("etcd-1", 21), w.machine("etcd-2", 22)
	plain.serve(plain.listen(api), "/readyz")
	wrong.serve(broken(wrong.listen(api)), "/readyz")
	w.names.set("etcd-0", good)
	w.names.set("etcd-1", plain)
	w.names.set("etcd-2", wrong)
	served := all(lb.has("api", "UP", "etcd-0"), lb.has("api", "DOWN", "etcd-1", "etcd-2"), lb.serves(api, "etcd-0"))
	w.eventually(15*time.Second, served)
	w.throughout(12*time.Second, served)
}

func TestLoadBalancer_EarlyDNSRecord(t *testing.T) {
	w, ok := newWorld(t)
	if !ok {
		return
	}
	lb := w.balancer(assets.LoadBalancer{Masters: 3, Routers: 4})
	w.names.set("etcd-0", w.master("etcd-0", 20))
	w.eventually(8*time.Second, lb.serves(api, "etcd-0"))
	w.names.set("etcd-1", w.machine("etcd-1", 21))
	w.throughout(10*time.Second, lb.serves(api, "etcd-0"))
	w.eventually(time.Second, lb.has("api", "DOWN", "etcd-1"))
}

func TestLoadBalancer_SilentNameServers(t *testing.T) {
	w, ok := newWorld(t)
	if !ok {
		return
	}
	lb := w.balancer(assets.LoadBalancer{Masters: 3, Routers: 4})
	w.names.set("etcd-0", w.master("etcd-0", 20))
	w.names.set("router", w.router("infra-0", 30, false))
	served := all(lb.serves(api, "etcd-0"), lb.serves(ingressHTTPS, "infra-0"))
	w.eventually(8*time.Second, served)
	w.names.silence(true)
	w.throughout(45*time.Second, served)
	w.names.silence(false)
	w.names.set("etcd-1", w.master("etcd-1", 21))
	w.eventually(15*time.Second, lb.serves(api, "etcd-0", "etcd-1"))
}
