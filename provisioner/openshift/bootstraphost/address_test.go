package bootstraphost_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud/haproxy"
)

const balancer = "198.18.0.2"

func TestDiscoverAddress_FromLoadBalancer(t *testing.T) {
	inLab(t, func(l *lab) {
		config, err := assets.RenderHAProxyConfig(assets.LoadBalancer{Domain: "c.example.net", Masters: 3, Routers: 1})
		l.check(err)
		ctx, cancel := context.WithCancel(l.t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			haproxy.Run(ctx, &box{host: l.host(balancer), files: map[string][]byte{haproxy.Path: config}})
		}()
		defer func() {
			cancel()
			<-done
		}()
		synctest.Wait()
		own, err := l.DiscoverAddress(ctx, balancer)
		if err != nil || own.String() != ours {
			t.Errorf("%s, %v", own, err)
		}
	})
}

func TestDiscoverAddress_GivesUpWithoutAnswer(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"made by an older version": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"nothing":                  func(http.ResponseWriter, *http.Request) {},
		"no address":               say("<html>"),
		"its own":                  say("127.0.0.1"),
		"everybody":                say("0.0.0.0"),
		"a network":                say("192.0.2.0/24"),
		"a link":                   say("fe80::1%eth0"),
		"more than an address":     say("192.0.2.10\n192.0.2.11"),
		"without an end":           say(strings.Repeat("1", 1<<20)),
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(l *lab) {
				l.answer(answer)
				own, err := l.DiscoverAddress(l.t.Context(), balancer)
				if !fault.Is(err, fault.NotFound) || fault.HintOf(err) == "" || own.IsValid() {
					t.Errorf("%s, %v", own, err)
				}
			})
		})
	}
}

func TestDiscoverAddress_RetriesUnreachable(t *testing.T) {
	inLab(t, func(l *lab) {
		if _, err := l.DiscoverAddress(l.t.Context(), balancer); !fault.Is(err, fault.Transient) {
			t.Errorf("error %v", err)
		}
		l.host(balancer)
		if _, err := l.DiscoverAddress(l.t.Context(), balancer); !fault.Is(err, fault.Transient) {
			t.Errorf("error %v", err)
		}
	})
}

func say(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) }
}

func (l *lab) answer(handler http.Handler) {
	l.t.Helper()
	listener, err := l.host(balancer).Listen(8404)
	l.check(err)
	server := &http.Server{Handler: handler}
	go func() { _ = server.Serve(listener) }()
	l.t.Cleanup(func() { _ = server.Close() })
}
