package probe

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"exoshift/wizard/reach"
)

func TestProbe_OpenPortIsExposed(t *testing.T) {
	for name, c := range map[string]struct {
		open    func(*lab)
		class   reach.Class
		layers  string
		reached bool
		status  string
	}{
		"open":           {func(l *lab) { l.accept("203.0.113.1:22623", func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }) }, reach.Exposed, "ok fail none none", false, ""},
		"refused":        {func(l *lab) { l.accept("203.0.113.1:80", func(net.Conn) {}) }, "", "ok none none none", true, "closed: connection refused"},
		"dropped":        {func(l *lab) { l.filtered["203.0.113.1:22623"] = true }, "", "ok none none none", true, "closed: no answer in time"},
		"no such name":   {func(l *lab) { delete(l.names, service) }, "", "none none none none", true, "closed: the name " + service + " does not resolve"},
		"nobody can say": {func(l *lab) { l.broken[service] = &net.DNSError{Err: "x", IsTimeout: true} }, reach.DNSTimeout, "fail none none none", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.names[service] = []string{"203.0.113.1"}
				c.open(l)
				got := l.probeURL("closed://" + service + ":22623")
				expect(t, got, c.class, c.layers, c.reached)
				if got.Evidence[reach.EvidenceStatus] != c.status {
					t.Errorf("status %q, want %q", got.Evidence[reach.EvidenceStatus], c.status)
				}
			})
		})
	}
}

// letsThrough is a proxy that accepts CONNECT for one target and one user.
func letsThrough(target, authorization string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method != http.MethodConnect:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case r.Header.Get("Proxy-Authorization") != authorization:
			w.WriteHeader(http.StatusProxyAuthRequired)
		case r.Host != target:
			w.WriteHeader(http.StatusForbidden)
		default:
			w.WriteHeader(http.StatusOK)
		}
	}
}

func TestProbe_ProxyLetsThrough(t *testing.T) {
	const basic = "Basic c29tZWJvZHk6aHVudGVyMi1zZWNyZXQ=" // somebody:hunter2-secret
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		user    string
		path    string
		chosen  *reach.Proxy
		class   reach.Class
		layers  string
		reached bool
	}{
		"good":                       {letsThrough(defaultProxyTarget, ""), "", "", nil, "", "ok ok none ok", true},
		"to somebody":                {letsThrough("quay.io:443", ""), "", "/quay.io:443", nil, "", "ok ok none ok", true},
		"not to them":                {letsThrough("quay.io:443", ""), "", "/icr.io:443", nil, reach.ProxyRefused, "ok ok none fail", false},
		"wants a login":              {letsThrough(defaultProxyTarget, basic), "", "", nil, reach.ProxyAuth, "ok ok none fail", false},
		"with its own password":      {letsThrough(defaultProxyTarget, basic), "somebody:" + secret + "@", "", nil, "", "ok ok none ok", true},
		"with the answers' password": {letsThrough(defaultProxyTarget, basic), "", "", &reach.Proxy{HTTPS: "http://somebody:" + secret + "@" + service + ":3128"}, "", "ok ok none ok", true},
		"with another proxy's":       {letsThrough(defaultProxyTarget, basic), "", "", &reach.Proxy{HTTPS: "http://somebody:" + secret + "@other.example.com:3128"}, reach.ProxyAuth, "ok ok none fail", false},
		"a wrong password":           {letsThrough(defaultProxyTarget, basic), "somebody:x" + secret + "@", "", nil, reach.ProxyPassword, "ok ok none fail", false},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.names[service] = []string{"203.0.113.1"}
				l.web("203.0.113.1:3128", nil, c.handler)
				l.task.Proxy = c.chosen
				got := l.probeURL("proxy://" + c.user + service + ":3128" + c.path)
				expect(t, got, c.class, c.layers, c.reached)
				noSecrets(t, got)
			})
		})
	}
}

func TestProbe_InvalidProxy(t *testing.T) {
	for name, c := range map[string]struct {
		serve  func(net.Conn) // nil: nothing listens
		class  reach.Class
		layers string
	}{
		"nobody listens": {nil, reach.Refused, "ok fail none none"},
		"silent":         {func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }, reach.HTTPTimeout, "ok ok none fail"},
		"cut":            {func(net.Conn) {}, reach.ProxyRefused, "ok ok none fail"},
		"garbage":        {func(conn net.Conn) { _, _ = io.WriteString(conn, strings.Repeat("\x1b", 1<<12)) }, reach.ProxyRefused, "ok ok none fail"},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.names[service] = []string{"203.0.113.1"}
				l.accept("203.0.113.1:80", func(net.Conn) {})
				if c.serve != nil {
					l.accept("203.0.113.1:3128", c.serve)
				}
				expect(t, l.probeURL("proxy://"+service+":3128"), c.class, c.layers, false)
			})
		})
	}
}

func TestProbe_StoppedClosedPort(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.filtered["203.0.113.1:22623"] = true
		p, err := New(l.network, l.task, l.limits)
		must(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if got := p.Probe(ctx, reach.Check{URL: "closed://203.0.113.1:22623"}); got.IsReached() {
			t.Errorf("found %+v", got)
		}
	})
}
