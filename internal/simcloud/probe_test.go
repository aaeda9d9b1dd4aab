package simcloud

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/api/networking"
	"exoshift/internal/simcloud/fabric"
)

// A health check that uses a connection again sees what a new one would see: a rule that is taken away, a listener that closed.
func TestHealthCheck_FailsLikeNewConnection(t *testing.T) {
	instance := netip.MustParseAddr("198.18.0.4")
	for name, interrupt := range map[string]func(dropped *atomic.Bool, l net.Listener){
		"a rule of the security group is taken away": func(dropped *atomic.Bool, _ net.Listener) { dropped.Store(true) },
		"the listener closes":                        func(_ *atomic.Bool, l net.Listener) { _ = l.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var dropped atomic.Bool
				f := fabric.New(fabric.Config{Allows: func(_, _ netip.Addr, _ string, _ int) bool { return !dropped.Load() }})
				defer f.Close()
				platform, err := f.AddHost(netip.MustParseAddr("198.18.255.1"))
				if err != nil {
					t.Fatal(err)
				}
				server, err := f.AddHost(instance)
				if err != nil {
					t.Fatal(err)
				}
				l, err := server.Listen(8404)
				if err != nil {
					t.Fatal(err)
				}
				var connections atomic.Int64
				monitor := &http.Server{
					ErrorLog: log.New(io.Discard, "", 0),
					Handler:  http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
					ConnState: func(_ net.Conn, state http.ConnState) {
						if state == http.StateNew {
							connections.Add(1)
						}
					},
				}
				go func() { _ = monitor.Serve(l) }()
				probes := newProbes(platform, network.Clock{}, nil)
				ip := networking.Backends{ID: "ip", Instances: []netip.Addr{instance}, Healthcheck: &networking.Healthcheck{
					Mode: "http", Port: 8404, URI: "/healthz", Interval: 10 * time.Second, Timeout: 5 * time.Second, StrikesOK: 2, StrikesFail: 3}}
				probes.sync(t.Context(), []networking.Backends{ip})
				defer probes.running.Wait()
				defer probes.sync(t.Context(), nil)
				client := netip.MustParseAddr("192.0.2.10")

				time.Sleep(time.Minute)
				if _, healthy := probes.selectHealthy(ip, client); !healthy {
					t.Error("an instance that answers is not healthy")
				}
				if got := connections.Load(); got != 1 {
					t.Errorf("%d connections for seven checks, want 1", got)
				}
				interrupt(&dropped, l)
				time.Sleep(time.Minute)
				if _, healthy := probes.selectHealthy(ip, client); healthy {
					t.Error("an instance that cannot be reached any more is healthy")
				}
			})
		})
	}
}
