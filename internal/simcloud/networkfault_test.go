package simcloud

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/beevik/ntp"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/simcloud/scenario"
)

// machine is the network of a machine of the zone.
func (o *operator) machine() network.Network {
	o.t.Helper()
	host, err := o.fabric.AddHost(netip.MustParseAddr("198.18.200.1"))
	o.must(err)
	o.t.Cleanup(host.Close)
	return host.Network(o.ca.Pool())
}

// ask sends a request without following redirects.
func (o *operator) ask(world network.Network, url string) (*http.Response, error) {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(o.t.Context(), 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	o.must(err)
	transport := world.NewTransport()
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err == nil {
		_ = response.Body.Close()
	}
	return response, err
}

// inScenario runs a test in an open zone.
func inScenario(t *testing.T, scenario string, test func(*testing.T, *operator)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{Scenario: scenario})
		defer o.close()
		test(t, o)
	})
}

// wantReached checks which servers are reachable.
func (o *operator) wantReached(world network.Network, reached bool, urls ...string) {
	o.t.Helper()
	for _, url := range urls {
		if _, err := o.ask(world, url); (err == nil) != reached {
			o.t.Errorf("%s: %v, want reached: %v", url, err, reached)
		}
	}
}

const (
	quayURL     = "https://quay.io/v2/"
	registryURL = "https://registry.redhat.io/v2/"
	cdnURL      = "https://cdn01.quay.io/"
)

func TestNetworkFault_InterceptorCertificate(t *testing.T) {
	inScenario(t, "tls-interception", func(t *testing.T, o *operator) {
		for _, url := range []string{quayURL, registryURL, "https://api-ch-gva-2.exoscale.com/v2/zone", "https://master.puppet.vshn.net:8140/"} {
			_, err := o.ask(o.Network(), url)
			var unknown x509.UnknownAuthorityError
			if !errors.As(err, &unknown) || unknown.Cert.Issuer.String() != "CN=Corp Proxy CA" {
				t.Errorf("%s: %v", url, err)
			}
		}
		trusting := o.Network()
		trusting.Roots = x509.NewCertPool()
		trusting.Roots.AppendCertsFromPEM(o.InterceptorAuthority())
		response, err := o.ask(trusting, quayURL)
		o.must(err)
		if response.StatusCode != http.StatusUnauthorized || !strings.HasPrefix(response.Header.Get("WWW-Authenticate"), "Bearer ") {
			t.Errorf("whoever trusts the interceptor gets through to %s", response.Status)
		}
		o.wantReached(o.machine(), true, quayURL, registryURL)
		o.wantReached(o.Network(), true, "http://quay.io/")
	})
}

func TestNetworkFault_BlockedLayerHost(t *testing.T) {
	inScenario(t, "cdn-blocked", func(_ *testing.T, o *operator) {
		for _, world := range []network.Network{o.Network(), o.machine()} {
			o.wantReached(world, false, cdnURL, "https://cdn06.quay.io/", "https://cdn.quay.io/")
			o.wantReached(world, true, quayURL, "https://quayio-production-s3.s3.amazonaws.com/")
		}
	})
}

// lookup returns the address of a name, or the error.
func (o *operator) lookup(world network.Network, name string) string {
	list, err := world.Lookup(o.t.Context(), name)
	if err != nil {
		return err.Error()
	}
	return list[0].String()
}

func TestNetworkFault_SplitDNS(t *testing.T) {
	inScenario(t, "split-dns", func(t *testing.T, o *operator) {
		inside := o.machine()
		for _, name := range []string{"quay.io", "registry.redhat.io"} {
			inner, outer := o.lookup(o.Network(), name), o.lookup(inside, name)
			if inner != "10.20.30.40" || !strings.HasPrefix(outer, "203.0.113.") {
				t.Errorf("%s is %s for the operator, and %s for machines", name, inner, outer)
			}
		}
		servers, err := network.NewNameServers(o.Network()).QueryAddresses(t.Context(), "ns1.registry.example", "quay.io")
		if err != nil || len(servers) != 1 || servers[0].IsPrivate() {
			t.Errorf("its own name server says %v, %v", servers, err)
		}
		o.wantReached(o.Network(), false, quayURL)
		o.wantReached(o.Network(), true, cdnURL)
	})
}

func TestNetworkFault_MissingName(t *testing.T) {
	inScenario(t, "nxdomain", func(t *testing.T, o *operator) {
		for _, world := range []network.Network{o.Network(), o.machine()} {
			if got := o.lookup(world, "registry.redhat.io"); !strings.Contains(got, "no such host") {
				t.Errorf("registry.redhat.io is %s", got)
			}
			o.wantReached(world, true, quayURL, "https://sso.redhat.com/")
		}
	})
}

func TestNetworkFault_AuthenticatingProxy(t *testing.T) {
	inScenario(t, "proxy-auth", func(t *testing.T, o *operator) {
		if _, err := o.ask(o.Network(), quayURL); err == nil || !strings.Contains(err.Error(), "Proxy Authentication Required") {
			t.Errorf("through the proxy: %v", err)
		}
		known := o.Network()
		proxy, err := known.Proxy(nil)
		o.must(err)
		proxy.User = ProxyAccount()
		known.Proxy = http.ProxyURL(proxy)
		o.wantReached(known, true, quayURL, "http://quay.io/")
		direct := o.Network()
		direct.Proxy = nil
		o.wantReached(direct, false, quayURL, "https://203.0.113.10/")
		if got := o.lookup(direct, "quay.io"); !strings.Contains(got, "no such host") {
			t.Errorf("the resolver knows quay.io: %s", got)
		}
		o.wantReached(o.machine(), true, quayURL)
	})
}

func TestNetworkFault_CaptivePortal(t *testing.T) {
	inScenario(t, "captive-portal", func(t *testing.T, o *operator) {
		response, err := o.ask(o.Network(), "http://quay.io/")
		o.must(err)
		if to := response.Header.Get("Location"); response.StatusCode != http.StatusFound || !strings.HasPrefix(to, "http://portal.guests.example/") {
			t.Errorf("%s to %s", response.Status, to)
		}
		_, err = o.ask(o.Network(), quayURL)
		var wrong x509.HostnameError
		if !errors.As(err, &wrong) || wrong.Certificate.DNSNames[0] != "portal.guests.example" {
			t.Errorf("by TLS: %v", err)
		}
		o.wantReached(o.Network(), true, "https://portal.guests.example/", "http://portal.guests.example/login")
		o.wantReached(o.machine(), true, quayURL)
	})
}

func TestNetworkFault_SlowRegistries(t *testing.T) {
	inScenario(t, "slow-registry", func(t *testing.T, o *operator) {
		for url, want := range map[string]time.Duration{quayURL: 5 * time.Second, registryURL: 5 * time.Second, cdnURL: 0} {
			began := time.Now()
			o.wantReached(o.Network(), true, url)
			if took := time.Since(began); took != want {
				t.Errorf("%s took %s, want %s", url, took, want)
			}
		}
	})
}

// clockOf returns the time of a time server.
func (o *operator) clockOf(world network.Network) time.Duration {
	o.t.Helper()
	answer, err := ntp.QueryWithOptions("1.rhel.pool.ntp.org:123", ntp.QueryOptions{
		Dialer: func(_, remote string) (net.Conn, error) { return world.Dial(o.t.Context(), "udp", remote) },
	})
	o.must(err)
	o.must(answer.Validate())
	return answer.ClockOffset
}

func TestNetworkFault_OperatorClockBehind(t *testing.T) {
	for scenario, behind := range map[string]time.Duration{"happy": 0, "wrong-clock": 17 * time.Minute} {
		inScenario(t, scenario, func(t *testing.T, o *operator) {
			for _, c := range []struct {
				world network.Network
				want  time.Duration
			}{{o.Network(), behind}, {o.machine(), 0}} {
				for _, url := range []string{"https://api-ch-gva-2.exoscale.com/v2/zone", quayURL, "https://mirror.openshift.com/"} {
					response, err := o.ask(c.world, url)
					o.must(err)
					date, err := http.ParseTime(response.Header.Get("Date"))
					o.must(err)
					if off := time.Until(date); (off - c.want).Abs() > time.Second {
						t.Errorf("%s: %s is off by %s, want %s", scenario, url, off, c.want)
					}
				}
				if off := o.clockOf(c.world); (off - c.want).Abs() > time.Second {
					t.Errorf("%s: NTP is off by %s, want %s", scenario, off, c.want)
				}
			}
		})
	}
}

func TestNetworkFault_WrongClockBreaksSignatures(t *testing.T) {
	inScenario(t, "wrong-clock", func(t *testing.T, o *operator) {
		if err := o.CheckCredentials(t.Context()); !fault.Is(err, fault.Denied) {
			t.Errorf("the API takes a signature that has expired: %v", err)
		}
	})
}

func TestNetworkFault_ZoneOnly(t *testing.T) {
	inScenario(t, "zone-only", func(t *testing.T, o *operator) {
		o.wantReached(o.Network(), true, registryURL, cdnURL, quayURL)
		inside := o.machine()
		o.wantReached(inside, true, quayURL, "https://cdn02.quay.io/")
		_, err := o.ask(inside, registryURL)
		var unknown x509.UnknownAuthorityError
		if !errors.As(err, &unknown) || unknown.Cert.Issuer.CommonName != "Corp Proxy CA" {
			t.Errorf("the registry from the zone: %v", err)
		}
		if _, err = o.ask(inside, cdnURL); !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the layers from the zone: %v", err)
		}
	})
}

func TestNetworkFault_SlowRegistryAtHighSpeed(t *testing.T) {
	for speed, want := range map[float64]time.Duration{1: 5 * time.Second, 50: 100 * time.Millisecond, 500: 10 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			o := open(t, Options{Scenario: "slow-registry", Speed: speed})
			defer o.close()
			if machine, operator := o.networkFault.computeRegistryDelay("198.18.0.9:40000", o.clock), o.networkFault.computeRegistryDelay("192.0.2.10:40000", o.clock); machine != want || operator != 5*time.Second {
				t.Errorf("at speed %g machines wait %s, the operator %s", speed, machine, operator)
			}
		})
	}
}

func TestNetworkFault_ScenarioNamesExist(t *testing.T) {
	for _, s := range scenario.List() {
		for _, traffic := range append(s.Fault.Network.Blocked, s.Fault.Network.Intercepted...) {
			for _, pattern := range traffic.To {
				if found := resolveTraffic([]scenario.Traffic{{To: []string{pattern}}}); len(found[0].to) == 0 {
					t.Errorf("%s: no host is called %s", s.Name, pattern)
				}
			}
		}
	}
}
