package haproxy

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const twoKinds = `
defaults
    mode tcp
    timeout connect 5s
    timeout check 5s
    default-server init-addr none check inter 5s fall 3 rise 2 resolvers machine

resolvers machine
    parse-resolv-conf
    hold valid 10s

frontend ingress
    bind *:80
    tcp-request content set-var(sess.plain) nbsrv(plain)
    use_backend proxied if { nbsrv(proxied),sub(sess.plain) gt 0 }
    default_backend plain

backend plain
    option httpchk
    http-check connect port 1936
    http-check send meth GET uri /healthz/ready
    http-check expect status 200
    http-check connect port 80
    http-check send meth GET uri /health
    http-check expect status 200
    server-template router 1-3 router.test:80

backend proxied
    option httpchk
    http-check connect port 1936
    http-check send meth GET uri /healthz/ready
    http-check expect status 200
    http-check connect port 80 send-proxy
    http-check send meth GET uri /health
    http-check expect status 200
    server-template router 1-3 router.test:80 send-proxy-v2
`

func TestUseBackend_FollowsTheServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestbed(t)
		defer b.start(twoKinds)()
		var ready atomic.Int64
		ready.Store(http.StatusOK)
		router := b.host("198.18.0.30")
		b.web(router, 1936, "ready", false, func() int { return int(ready.Load()) })
		b.web(router, 80, "plain router", false, healthy)
		b.point("router.test", "198.18.0.30")
		time.Sleep(time.Minute)
		if got := b.get("http://api.test/"); got != "plain router" {
			t.Errorf("a router without the protocol: %q", got)
		}
		ready.Store(http.StatusInternalServerError)
		time.Sleep(time.Minute)
		if got := b.get("http://api.test/"); got == "plain router" {
			t.Error("a router that is not ready is used, as its other port answers")
		}
	})
}

func TestUseBackend_RefusesUnknown(t *testing.T) {
	for from, to := range map[string]string{
		"use_backend proxied": "use_backend other", "set-var(sess.plain) nbsrv(plain)": "set-var(sess.plain) nbsrv(other)",
		"sub(sess.plain)": "sub(sess.other)", "gt 0 }": "gt 1 }", "connect port 80 send-proxy": "connect port 80 ssl",
	} {
		if _, err := parse([]byte(strings.Replace(twoKinds, from, to, 1))); err == nil {
			t.Errorf("%s is taken", to)
		}
	}
}
