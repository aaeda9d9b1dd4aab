package probe

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"exoshift/wizard/reach"
)

func idle(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

func TestProbe_ClosedFilteredUnroutable(t *testing.T) {
	for name, test := range map[string]struct {
		err   error // of the network; nil: as simulated
		class reach.Class
		took  time.Duration
	}{
		"nobody listens":         {nil, reach.Refused, 0},
		"a firewall drops":       {os.ErrDeadlineExceeded, reach.TCPTimeout, 0},
		"a rule of a router":     {os.NewSyscallError("connect", syscall.EHOSTUNREACH), reach.Prohibited, 0},
		"the host is down":       {os.NewSyscallError("connect", syscall.EHOSTUNREACH), reach.NoRoute, 3 * time.Second},
		"the network is down":    {os.NewSyscallError("connect", syscall.ENETUNREACH), reach.NoRoute, 0},
		"a rule of this machine": {os.NewSyscallError("connect", syscall.EPERM), reach.Prohibited, 0},
		"the system gave up":     {os.NewSyscallError("connect", syscall.ETIMEDOUT), reach.TCPTimeout, 0},
		"a reset":                {os.NewSyscallError("connect", syscall.ECONNRESET), reach.Reset, 0},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.names[service] = []string{"203.0.113.1"}
				_ = l.listen("203.0.113.1:22")
				if test.err != nil {
					l.network.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
						_ = l.network.Clock.Sleep(ctx, test.took)
						return nil, &net.OpError{Op: "dial", Net: "tcp", Err: test.err}
					}
				}
				expect(t, l.probeURL("tcp://"+service+":443"), test.class, "ok fail none none", false)
			})
		})
	}
}

func TestProbe_FilteredTimeout(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.names[service] = []string{"203.0.113.1"}
		l.accept("203.0.113.1:443", idle)
		l.filtered["203.0.113.1:443"] = true
		began := time.Now()
		got := l.probeURL("https://" + service)
		expect(t, got, reach.TCPTimeout, "ok fail none none", false)
		if took := time.Since(began); took != 5*time.Second || got.Evidence[reach.EvidenceTCPTime] != "5000" {
			t.Errorf("took %s; evidence %q", took, got.Evidence)
		}
	})
}

func TestProbe_EvidenceHasSourceAddress(t *testing.T) {
	for name, prepare := range map[string]func(*lab){
		"connected":     func(l *lab) { l.accept("203.0.113.1:443", idle) },
		"refused":       func(l *lab) { _ = l.listen("203.0.113.1:22") },
		"dropped":       func(l *lab) { l.filtered["203.0.113.1:443"] = true },
		"kept by TLS":   func(l *lab) { l.web("203.0.113.1:443", l.authority.issue(l.t, "other.example.net"), nil) },
		"by a proxy":    func(l *lab) { l.forward("", func(string) {}); l.behind("http://" + proxyHost + ":3128") },
		"by time's way": func(l *lab) { l.filtered["203.0.113.1:123"] = true },
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.names[service] = []string{"203.0.113.1"}
				prepare(l)
				address := map[string]string{"kept by TLS": "https://", "by time's way": "ntp://", "by a proxy": "http://"}[name] + service
				if !strings.Contains(address, "://") {
					address = "tcp://" + service + ":443"
				}
				if got := l.probeURL(address); got.Evidence[reach.EvidenceSource] != "192.0.2.1" {
					t.Errorf("%s: evidence %q", got.Class, got.Evidence)
				}
			})
		})
	}
}

func TestProbe_TriesEachAddress(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.names[service] = []string{"203.0.113.1", "203.0.113.2", "203.0.113.3"}
		_ = l.listen("203.0.113.1:22") // the port is closed
		l.filtered["203.0.113.2:443"] = true
		l.accept("203.0.113.3:443", idle)
		began := time.Now()
		got := l.probeURL("tcp://" + service + ":443")
		expect(t, got, "", "ok ok none none", true)
		if took := time.Since(began); got.Evidence[reach.EvidenceAddress] != "203.0.113.3:443" || took != 300*time.Millisecond {
			t.Errorf("by %s after %s", got.Evidence[reach.EvidenceAddress], took)
		}
	})
}

func TestProbe_ReportsFirstAddress(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.names[service] = []string{"203.0.113.1", "203.0.113.2"}
		l.filtered["203.0.113.1:443"] = true
		_ = l.listen("203.0.113.2:22")
		expect(t, l.probeURL("tcp://"+service+":443"), reach.TCPTimeout, "ok fail none none", false)
	})
}

func TestProbe_IPv6IsSeparate(t *testing.T) {
	const refused, silent = "connection refused", "no answer in time"
	for name, test := range map[string]struct {
		prepare func(l *lab)
		ipv6    string
	}{
		"there is none":    {func(*lab) {}, ""},
		"it answers":       {func(l *lab) { l.accept(overIPv4+":443", idle) }, "ok"},
		"it refuses":       {func(l *lab) { _ = l.listen(overIPv4 + ":22") }, refused},
		"nothing comes":    {func(l *lab) { l.filtered[overIPv4+":443"] = true }, silent},
		"nobody knows how": {func(l *lab) { l.network.LookupIPv6 = nil }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.names[service] = []string{"203.0.113.1"}
				l.accept("203.0.113.1:443", idle)
				if name != "there is none" {
					l.names6[service] = []string{"2001:db8::1"}
				}
				test.prepare(l)
				began := time.Now()
				got := l.probeURL("tcp://" + service + ":443")
				expect(t, got, "", "ok ok none none", true)
				if got.Evidence[reach.EvidenceIPv6] != test.ipv6 || got.Evidence[reach.EvidenceIPv4] != "ok" || time.Since(began) > time.Second {
					t.Errorf("after %s: %q", time.Since(began), got.Evidence)
				}
			})
		})
	}
}

func TestProbe_LiteralAddress(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.accept("203.0.113.1:443", idle)
		l.accept(overIPv4+":443", idle)
		expect(t, l.probeURL("tcp://203.0.113.1:443"), "", "none ok none none", true)
		got := l.probeURL("tcp://[2001:db8::1]:443")
		expect(t, got, "", "none ok none none", true)
		if got.Evidence[reach.EvidenceIPv6] != "ok" || got.Evidence[reach.EvidenceIPv4] != "" {
			t.Errorf("evidence %q", got.Evidence)
		}
	})
}

func TestProbe_EndsWithContext(t *testing.T) {
	for _, address := range []string{"https://" + service, "ssh://" + service, "tcp://" + service + ":444", "https://slow.example.com"} {
		inLab(t, func(t *testing.T, l *lab) {
			l.names[service] = []string{"203.0.113.1"}
			l.accept("203.0.113.1:443", idle)
			l.accept("203.0.113.1:22", idle)
			l.filtered["203.0.113.1:444"] = true
			slow := l.network.Lookup
			l.network.Lookup = func(ctx context.Context, name string) ([]netip.Addr, error) {
				if strings.HasPrefix(name, "slow") {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return slow(ctx, name)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(errors.New("the operator left")) })
			p, err := New(l.network, l.task, l.limits)
			must(t, err)
			began := time.Now()
			if got := p.Probe(ctx, reach.Check{URL: address}); got.IsReached() || time.Since(began) != time.Second {
				t.Errorf("%s: %q after %s", address, got.Class, time.Since(began))
			}
		})
	}
}
