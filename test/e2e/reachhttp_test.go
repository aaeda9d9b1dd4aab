package e2e

import (
	"fmt"
	"net"
	"net/http"
	"testing"

	"exoshift/wizard/reach"
)

// front is one site of a real HAProxy: what is written below its port.
type front struct{ name, bind, rules string }

// balance runs the real HAProxy with sites that end TLS, each on the address of its name.
func (l *lab) balance(fronts ...front) {
	l.t.Helper()
	config := "global\n  ssl-default-bind-ciphers ALL:@SECLEVEL=0\n" +
		"defaults\n  mode http\n  timeout connect 1s\n  retries 0\n  timeout client 30s\n  timeout server 30s\n"
	for _, f := range fronts {
		config += fmt.Sprintf("listen %s\n  bind %s ssl crt %s %s\n  %s\n", f.name, l.at(f.name, "443"), l.certified(f.name), f.bind, f.rules)
	}
	daemon(l.t, open(l.at(fronts[0].name, "443")), haproxy, "-db", "-f", l.write("haproxy.cfg", config))
}

func TestCheck_SitesBehindBalancer(t *testing.T) {
	l, ok := newLab(t, "good.example.net A 203.0.113.10", "dead.example.net A 203.0.113.11", "hangs.example.net A 203.0.113.12",
		"late.example.net A 203.0.113.13", "loop.example.net A 203.0.113.14", "portal.example.net A 203.0.113.15",
		"geo.example.net A 203.0.113.16", "old.example.net A 203.0.113.17", "missing.example.net A 203.0.113.18",
		"login.example.net A 203.0.113.19", "client.example.net A 203.0.113.20")
	if !ok {
		return
	}
	l.backends()
	l.balance(
		front{"good.example.net", "", "server a 127.0.0.1:8080"},
		front{"dead.example.net", "", "server a 127.0.0.1:1"},
		front{"hangs.example.net", "", "server a 127.0.0.1:8081"},
		front{"late.example.net", "", "timeout server 300ms\n  server a 127.0.0.1:8081"},
		front{"loop.example.net", "", "http-request redirect code 302 location https://loop.example.net/%[uuid]"},
		front{"portal.example.net", "", "http-request redirect code 302 location https://login.example.net/hotel?back=%[url]"},
		front{"geo.example.net", "", `http-request return status 403 content-type text/html string "<h1>Not available in your country</h1>"`},
		front{"old.example.net", "ssl-min-ver TLSv1.0 ssl-max-ver TLSv1.1", "server a 127.0.0.1:8080"},
		front{"missing.example.net", "", `http-request return status 404 content-type text/plain string "not found"`},
		front{"client.example.net", "verify required ca-file " + l.certified("client.example.net"), "server a 127.0.0.1:8080"},
	)
	l.ask(map[string]asked{
		"good":                {url: "https://good.example.net/", want: "ok - ++++", seen: "status=200"},
		"dead backend":        {url: "https://dead.example.net/", want: "fail http-5xx +++x", seen: "status=503"},
		"hanging backend":     {url: "https://hangs.example.net/", want: "fail http-timeout +++x"},
		"late backend":        {url: "https://late.example.net/", want: "fail http-5xx +++x", seen: "status=504"},
		"redirects for ever":  {url: "https://loop.example.net/", expect: []int{200}, want: "fail http-unexpected +++x"},
		"sends to a login":    {url: "https://portal.example.net/", want: "ok - ++++", seen: "status=302"},
		"not in this land":    {url: "https://geo.example.net/", want: "fail http-403-geo +++x", seen: "status=403"},
		"old TLS":             {url: "https://old.example.net/", want: "fail tls-failure ++x-"},
		"404, as the service": {url: "https://missing.example.net/", want: "ok - ++++", seen: "status=404"},
		"404, not wanted":     {url: "https://missing.example.net/", expect: []int{200, 401}, want: "fail http-unexpected +++x", seen: "status=404"},
		"503, wanted":         {url: "https://dead.example.net/", expect: []int{503}, want: "ok - ++++"},
		"client certificate":  {url: "https://client.example.net/", want: "fail tls-failure ++x-"},
		"closed":              {url: "https://good.example.net:444/", want: "fail tcp-refused +x--"},
		"TLS alone":           {url: "tls://good.example.net:443", want: "ok - +++-"},
	})
}

func (l *lab) backends() {
	l.t.Helper()
	l.serveAt("127.0.0.1:8080", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("hello"))
	}))
	l.serveAt("127.0.0.1:8081", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	l.serveAt(l.at("login.example.net", "80"), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<html><form action=/login>Accept the terms of use</form></html>"))
	}))
}

func (l *lab) serveAt(address string, handler http.Handler) {
	l.t.Helper()
	listener, err := net.Listen("tcp", address)
	must(l.t, err)
	l.serve(listener, handler)
}

func TestCheck_SlowService(t *testing.T) {
	l, ok := newLab(t, "good.example.net A 203.0.113.10")
	if !ok {
		return
	}
	l.web("good.example.net", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { wait(600_000_000) }))
	impatient := limits()
	impatient.Slow = 500_000_000
	l.askAs(reach.Task{}, impatient, map[string]asked{
		"slow": {url: "https://good.example.net/", want: "warn slow ++++"},
	})
}
