package network

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"

	"exoshift/internal/fault"
)

// proxy is an HTTP proxy on loopback that connects every CONNECT to one address.
type proxy struct {
	*url.URL
	asked []string // address and credentials
}

func openProxy(t *testing.T, to string, status int) *proxy {
	t.Helper()
	p := &proxy{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.asked = append(p.asked, r.Method+" "+r.Host+" "+r.Header.Get("Proxy-Authorization"))
		if status != http.StatusOK {
			w.WriteHeader(status)
			return
		}
		target, err := net.Dial("tcp", to)
		if err != nil {
			t.Error(err)
			return
		}
		client, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n")
		go func() { _, _ = io.Copy(target, client); _ = target.Close() }()
		go func() { _, _ = io.Copy(client, target); _ = client.Close() }()
	}))
	t.Cleanup(server.Close)
	var err error
	p.URL, err = url.Parse(server.URL)
	must(t, err)
	return p
}

// behind returns a network with a proxy, in which only loopback can be dialed directly.
func behind(proxy *url.URL) Network {
	return Network{
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if !strings.HasPrefix(address, "127.0.0.1:") {
				return nil, errors.New("no route to " + address)
			}
			return new(net.Dialer).DialContext(ctx, network, address)
		},
		Proxy: http.ProxyURL(proxy),
	}
}

func TestNameServers_ThroughProxy(t *testing.T) {
	server := serveNames(t, says(t, record))
	p := openProxy(t, server.address, http.StatusOK)
	p.User = url.UserPassword("me", "very-secret")
	got, err := NewNameServers(behind(p.URL)).QueryAddresses(t.Context(), "ns1.exoscale.com", "api.c-1.example.net")
	must(t, err)
	if len(got) != 1 {
		t.Errorf("addresses: %v", got)
	}
	if want := "CONNECT ns1.exoscale.com:53 Basic bWU6dmVyeS1zZWNyZXQ="; len(p.asked) != 1 || p.asked[0] != want {
		t.Errorf("the proxy was asked %q", p.asked)
	}
}

func TestNameServers_BypassRefusingProxy(t *testing.T) {
	server := serveNames(t, says(t, record))
	p := openProxy(t, "", http.StatusForbidden)
	if _, err := NewNameServers(behind(p.URL)).QueryAddresses(t.Context(), server.address, "api.c-1.example.net"); err != nil {
		t.Error(err)
	}
	if len(p.asked) != 1 {
		t.Errorf("the proxy was asked %q", p.asked)
	}
}

func TestNameServers_RedactProxyCredentials(t *testing.T) {
	p := openProxy(t, "", http.StatusProxyAuthRequired)
	p.User = url.UserPassword("me", "very-secret")
	_, err := NewNameServers(behind(p.URL)).QueryAddresses(t.Context(), "ns1.exoscale.com", "api.c-1.example.net")
	if !fault.Is(err, fault.Transient) || !strings.Contains(err.Error(), "407") || strings.Contains(err.Error(), "very-secret") {
		t.Errorf("error = %v", err)
	}
}

func TestConnect_PlainProxiesOnly(t *testing.T) {
	server := serveNames(t, answers(dns.RcodeSuccess, true))
	p := openProxy(t, server.address, http.StatusOK)
	for _, other := range []*url.URL{nil, {Scheme: "socks5", Host: p.Host}} {
		conn, err := behind(other).Connect(t.Context(), server.address)
		must(t, err)
		must(t, conn.Close())
	}
	if len(p.asked) != 0 {
		t.Errorf("the proxy was asked %q", p.asked)
	}
}

func TestConnect_SilentProxyEndsWithContext(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = silent.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		if conn, err := silent.Accept(); err == nil {
			_, _ = conn.Read(make([]byte, 1))
			cancel()
			_, _ = io.Copy(io.Discard, conn)
			_ = conn.Close()
		}
	}()
	began := time.Now()
	_, err = behind(&url.URL{Scheme: "http", Host: silent.Addr().String()}).Connect(ctx, "ns1.exoscale.com:53")
	if took := time.Since(began); err == nil || took > responseTimeout {
		t.Errorf("ended with %v after %s", err, took)
	}
}
