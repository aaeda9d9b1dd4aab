package probe

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/wizard/reach"
)

func TestProbe_CaptivePortalIsNotFirewall(t *testing.T) {
	location := func(to string) map[string]string { return map[string]string{"Location": to} }
	for name, test := range map[string]struct {
		header  map[string]string // of the answer to plain HTTP; nil: no answer
		dropped bool              // port 443 drops packets instead of refusing them
		class   reach.Class
	}{
		"refused, with a login page":   {location("http://login.portal.org/"), false, reach.Captive},
		"dropped, with a login page":   {location("http://login.portal.org/"), true, reach.Captive},
		"refused, with an inner page":  {location("https://10.0.0.1/"), false, reach.Captive},
		"refused, without anything":    {nil, false, reach.Refused},
		"dropped, without anything":    {nil, true, reach.TCPTimeout},
		"dropped, and moved to TLS":    {location("https://" + service + "/"), true, reach.TCPTimeout},
		"refused, and moved elsewhere": {location("https://www.example.org/"), false, reach.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.names[service] = []string{"203.0.113.1"}
				l.filtered["203.0.113.1:443"] = test.dropped
				if test.header != nil {
					l.web("203.0.113.1:80", nil, says(302, test.header, ""))
				} else {
					_ = l.listen("203.0.113.1:22")
				}
				began := time.Now()
				expect(t, l.probeURL("https://"+service), test.class, "ok fail none none", false)
				if took := time.Since(began); took > l.limits.TCP+3*time.Second {
					t.Errorf("took %s", took)
				}
				expect(t, l.probeURL("tcp://"+service+":443"), map[bool]reach.Class{true: reach.TCPTimeout, false: reach.Refused}[test.dropped], "ok fail none none", false)
			})
		})
	}
}

func TestProbe_ResolvedPortal(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.names[service] = []string{"10.0.0.1"}
		l.web("10.0.0.1:443", l.authority.issue(t, "login.portal.org"), says(200, nil, ""))
		l.web("10.0.0.1:80", nil, says(302, map[string]string{"Location": "http://login.portal.org/"}, ""))
		expect(t, l.probe(reach.Check{URL: "https://" + service, Group: "redhat"}), reach.Captive, "ok ok fail none", false)
	})
}

func TestProbe_IPv6OnlyName(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.names6[service] = []string{"2001:db8::1"}
		got := l.probeURL("https://" + service)
		expect(t, got, reach.NXDomain, "fail none none none", false)
		if !strings.Contains(got.Evidence[reach.EvidenceError], "IPv6 addresses only") {
			t.Errorf("evidence %q", got.Evidence)
		}
	})
}

func TestProbe_LimitsTriedAddresses(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		var dialed atomic.Int32
		l.network.Lookup = func(context.Context, string) ([]netip.Addr, error) {
			var list []netip.Addr
			for i := range 1000 {
				list = append(list, netip.AddrFrom4([4]byte{198, 51, byte(i >> 8), byte(i)}))
			}
			return list, nil
		}
		dial := l.network.Dial
		l.network.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			if network == "tcp" {
				dialed.Add(1)
			}
			return dial(ctx, network, address)
		}
		expect(t, l.probeURL("tcp://"+service+":443"), reach.TCPTimeout, "ok fail none none", false)
		if dialed.Load() != 8 {
			t.Errorf("tried %d", dialed.Load())
		}
	})
}

func TestProbe_LeavesNothing(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.names[service], l.names6[service] = []string{"203.0.113.1", "203.0.113.2"}, []string{"2001:db8::1"}
		connections := make(chan int, 100)
		count := func(conn net.Conn) { connections <- 1; idle(conn); connections <- -1 }
		l.accept("203.0.113.1:443", count)
		l.accept("203.0.113.2:443", count)
		l.accept("203.0.113.1:80", count)
		l.accept(overIPv4+":443", count)
		dial := l.network.Dial
		l.network.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			if address == "203.0.113.1:443" {
				pause(600 * time.Millisecond) // and then answers, although it is no longer needed
			}
			return dial(context.WithoutCancel(ctx), network, address)
		}
		l.probeURL("https://" + service)
		synctest.Wait()
		close(connections)
		open, opened := 0, 0
		for change := range connections {
			open, opened = open+change, opened+max(change, 0)
		}
		if open != 0 || opened < 3 {
			t.Errorf("%d of %d connections are still open", open, opened)
		}
	})
}
