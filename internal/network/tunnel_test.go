package network

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestConnectThrough_ReportsRefusal(t *testing.T) {
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, gone.Close())
	for name, test := range map[string]struct {
		proxy  *url.URL
		status int
		says   string
	}{
		"it wants credentials":     {openProxy(t, "", http.StatusProxyAuthRequired).URL, 407, "407"},
		"it forbids":               {openProxy(t, "", http.StatusForbidden).URL, 403, "403"},
		"it is gone":               {&url.URL{Scheme: "http", Host: gone.Addr().String()}, 0, "refused"},
		"it is none that we speak": {&url.URL{Scheme: "socks4", Host: gone.Addr().String()}, 0, "socks4"},
		"it never stops":           {&url.URL{Scheme: "http", Host: speaking(t, "HTTP/1.1 200 OK\r\n", strings.Repeat("A: b\r\n", 1<<16))}, 0, "no end"},
		"it is something else":     {&url.URL{Scheme: "http", Host: speaking(t, "SSH-2.0-OpenSSH\r\n")}, 0, "malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			proxy := *test.proxy
			proxy.User = url.UserPassword("me", "very-secret")
			_, err := behind(nil).ConnectThrough(t.Context(), &proxy, "ns1.exoscale.com:53")
			var refusal *ProxyError
			if !errors.As(err, &refusal) || refusal.Status != test.status || refusal.Proxy != proxy.Host {
				t.Fatalf("%+v", err)
			}
			if !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "very-secret") {
				t.Errorf("error = %v", err)
			}
		})
	}
}

// speaking starts a server that reads a little and then writes words.
func speaking(t *testing.T, words ...string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = io.WriteString(conn, strings.Join(words, ""))
			_, _ = io.Copy(io.Discard, conn)
			_ = conn.Close()
		}
	}()
	return listener.Addr().String()
}

func TestConnectThrough_KeepsEarlyData(t *testing.T) {
	proxy := &url.URL{Scheme: "http", Host: speaking(t, "HTTP/1.1 200 OK\r\n\r\n", "SSH-2.0-early\r\n")}
	conn, err := behind(nil).ConnectThrough(t.Context(), proxy, "git.example.com:22")
	must(t, err)
	defer func() { _ = conn.Close() }()
	got := make([]byte, 15)
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != "SSH-2.0-early\r\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestConnectThrough_EndsWithContext(t *testing.T) {
	proxy := &url.URL{Scheme: "http", Host: speaking(t)}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := behind(nil).ConnectThrough(ctx, proxy, "git.example.com:22"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("ended with %v", err)
	}
}

func TestFormatProxyAddress_DefaultPort(t *testing.T) {
	for text, want := range map[string]string{
		"http://me:secret@proxy": "proxy:80", "https://proxy": "proxy:443", "http://proxy:3128": "proxy:3128", "http://[::1]": "[::1]:80",
	} {
		proxy, err := url.Parse(text)
		must(t, err)
		if got := FormatProxyAddress(proxy); got != want {
			t.Errorf("%s is at %s, want %s", text, got, want)
		}
	}
}
