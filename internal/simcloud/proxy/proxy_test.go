package proxy

import (
	"bufio"
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/fabric"
)

// street is a proxy on loopback, and a network behind it with one shop: https://shop.example and http://shop.example:8404.
type street struct {
	t       *testing.T
	address string
	client  *http.Client
	leave   context.CancelFunc // stops the proxy
	left    chan error         // its result
}

func open(t *testing.T) *street {
	t.Helper()
	return openFor(t, nil)
}

func openFor(t *testing.T, account *url.Userinfo) *street {
	t.Helper()
	world := fabric.New(fabric.Config{Resolve: func(_ context.Context, name string) ([]netip.Addr, error) {
		if name == "shop.example" {
			return []netip.Addr{netip.MustParseAddr("203.0.113.1")}, nil
		}
		return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	}})
	ca, err := fabric.NewCA("Internet")
	must(t, err)
	shop, err := world.AddHost(netip.MustParseAddr("203.0.113.1"))
	must(t, err)
	serveShop(t, shop, ca)
	operator, err := world.AddHost(netip.MustParseAddr("192.0.2.1"))
	must(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	s := &street{t: t, address: l.Addr().String(), leave: cancel, left: make(chan error, 1)}
	go func() { s.left <- ServeMembers(ctx, l, operator.Network(ca.Pool()), account) }()
	s.client = clientOf(s.address, ca.Pool())
	t.Cleanup(func() { cancel(); s.client.CloseIdleConnections(); world.Close() })
	return s
}

func serveShop(t *testing.T, shop *fabric.Host, ca *fabric.CA) {
	t.Helper()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "%s %s with %q", r.Host, r.URL, r.Header.Get("Proxy-Authorization"))
	})
	config, err := ca.NewServerTLS("shop.example")
	must(t, err)
	for _, port := range []int{443, 8404} {
		l, err := shop.Listen(port)
		must(t, err)
		server := httptest.NewUnstartedServer(handler)
		server.Listener = l
		server.Config.ErrorLog = discardLogger()
		if server.TLS = config; port == 443 {
			server.StartTLS()
		} else {
			server.Start()
		}
		t.Cleanup(server.Close)
	}
}

func clientOf(address string, roots *x509.CertPool) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: address, User: url.UserPassword("somebody", "pass")})
	transport.TLSClientConfig.RootCAs = roots
	return &http.Client{Transport: transport}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s *street) get(link string) (int, string) {
	s.t.Helper()
	response, err := s.client.Get(link)
	must(s.t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	must(s.t, err)
	return response.StatusCode, string(body)
}

// call is a connection to the proxy; its reader continues after the proxy's own response.
type call struct {
	*net.TCPConn
	io.Reader
}

func (c call) Read(b []byte) (int, error) { return c.Reader.Read(b) }

// say sends raw bytes to the proxy and returns its response.
func (s *street) say(request string) (call, *http.Response) {
	s.t.Helper()
	c, err := net.Dial("tcp", s.address)
	must(s.t, err)
	s.t.Cleanup(func() { _ = c.Close() })
	must(s.t, c.SetDeadline(time.Now().Add(time.Minute)))
	_, err = io.WriteString(c, request)
	must(s.t, err)
	rest := bufio.NewReader(c)
	response, err := http.ReadResponse(rest, &http.Request{Method: http.MethodConnect})
	must(s.t, err)
	return call{c.(*net.TCPConn), rest}, response
}

func TestProxy_TunnelsHTTPS(t *testing.T) {
	if _, body := open(t).get("https://shop.example/a?b=c"); body != `shop.example /a?b=c with ""` {
		t.Errorf("the shop saw %s", body)
	}
}

func TestProxy_ForwardsHTTPWithoutHopHeaders(t *testing.T) {
	if _, body := open(t).get("http://shop.example:8404/a?b=c"); body != `shop.example:8404 /a?b=c with ""` {
		t.Errorf("the shop saw %s", body)
	}
}

func TestProxy_ExplainsUnreachable(t *testing.T) {
	s := open(t)
	for request, want := range map[string]string{
		"CONNECT nowhere.example:443 HTTP/1.1\r\nHost: nowhere.example:443\r\n\r\n": "cannot reach nowhere.example:443: dial tcp: lookup nowhere.example: no such host",
		"CONNECT shop.example:1 HTTP/1.1\r\nHost: shop.example:1\r\n\r\n":           "connection refused",
		"GET http://nowhere.example/ HTTP/1.1\r\nHost: nowhere.example\r\n\r\n":     "cannot reach nowhere.example",
	} {
		_, response := s.say(request)
		body, _ := io.ReadAll(response.Body)
		if response.StatusCode != http.StatusBadGateway || !strings.Contains(string(body), want) {
			t.Errorf("%s: %s %s", strings.Fields(request)[1], response.Status, body)
		}
	}
}

func TestProxy_ExplainsDirectRequest(t *testing.T) {
	_, response := open(t).say("GET /v2/zone HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
	if body, _ := io.ReadAll(response.Body); response.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), "HTTPS_PROXY") {
		t.Errorf("%s %s", response.Status, body)
	}
}

func TestTunnel_HalfClose(t *testing.T) {
	c, response := open(t).say("CONNECT shop.example:8404 HTTP/1.1\r\nHost: shop.example:8404\r\n\r\n" +
		"GET /early HTTP/1.0\r\n\r\n") // sent before the tunnel is established
	if response.StatusCode != http.StatusOK {
		t.Fatal(response.Status)
	}
	must(t, c.CloseWrite())
	if answer, err := io.ReadAll(c); err != nil || !strings.Contains(string(answer), "/early") {
		t.Errorf("%s, %v", answer, err)
	}
}

func TestTunnel_EndsWithProxy(t *testing.T) {
	s := open(t)
	c, _ := s.say("CONNECT shop.example:443 HTTP/1.1\r\nHost: shop.example:443\r\n\r\n")
	s.leave()
	if err := <-s.left; err != nil {
		t.Errorf("it ended with %v", err)
	}
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("the tunnel still carries")
	}
}

func TestProxy_RequiresAuthentication(t *testing.T) {
	for account, admitted := range map[*url.Userinfo]bool{
		url.UserPassword("somebody", "pass"): true, url.UserPassword("somebody", "word"): false, url.UserPassword("nobody", "pass"): false,
	} {
		s := openFor(t, account) // the client's password is pass
		for _, link := range []string{"https://shop.example/a", "http://shop.example:8404/a"} {
			response, err := s.client.Get(link)
			if err == nil {
				_ = response.Body.Close()
			}
			if passed := err == nil && response.StatusCode == http.StatusOK; passed != admitted {
				t.Errorf("%s for %s: %v", link, account, err)
			}
		}
		_, response := s.say("CONNECT shop.example:443 HTTP/1.1\r\nHost: shop.example:443\r\n\r\n")
		if asked := response.Header.Get("Proxy-Authenticate"); response.StatusCode != http.StatusProxyAuthRequired || asked != `Basic realm="proxy"` {
			t.Errorf("who tells nothing gets %s, %s", response.Status, asked)
		}
	}
}

func TestProxy_DateOfZoneClock(t *testing.T) {
	start := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	clock, stop := network.NewScaledClock(600, start)
	defer stop()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() { left <- Serve(ctx, l, network.Network{Clock: clock}) }()
	response, err := http.Get("http://" + l.Addr().String() + ClockPath)
	must(t, err)
	defer func() { _ = response.Body.Close() }()
	if got := response.Header.Get(SpeedHeader); response.StatusCode != http.StatusOK || got != "600" {
		t.Errorf("%s, speed %s", response.Status, got)
	}
	last, lines := start, bufio.NewScanner(response.Body)
	for range 3 {
		if !lines.Scan() {
			t.Fatal(lines.Err())
		}
		at, err := time.Parse(time.RFC3339Nano, lines.Text())
		must(t, err)
		if at.Before(last) || at.After(clock.Now()) {
			t.Errorf("%s after %s", at, last)
		}
		last = at.Add(network.FollowInterval(600))
	}
	cancel() // a client that listens keeps no proxy open
	if err := <-left; err != nil {
		t.Error(err)
	}
}
