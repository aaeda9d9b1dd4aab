package fabric

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/nettest"
)

func address(s string) netip.Addr { return netip.MustParseAddr(s) }

// pair returns a fabric with a client and a server host.
func pair(t *testing.T, config Config) (client, server *Host) {
	t.Helper()
	f := New(config)
	t.Cleanup(f.Close)
	client, err := f.AddHost(address("192.0.2.10"))
	if err != nil {
		t.Fatal(err)
	}
	if server, err = f.AddHost(address("198.18.0.2")); err != nil {
		t.Fatal(err)
	}
	return client, server
}

func listen(t *testing.T, h *Host, port int) net.Listener {
	t.Helper()
	l, err := h.Listen(port)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestConn_NetTest(t *testing.T) {
	nettest.TestConn(t, func() (net.Conn, net.Conn, func(), error) {
		client, server := pair(t, Config{})
		l := listen(t, server, 80)
		c1, err := client.Dial(t.Context(), "tcp", "198.18.0.2:80")
		if err != nil {
			return nil, nil, nil, err
		}
		c2, err := l.Accept()
		return c1, c2, func() { _, _ = c1.Close(), c2.Close() }, err
	})
}

func TestDial_RefusedWithoutListener(t *testing.T) {
	client, server := pair(t, Config{})
	_, err := client.Dial(t.Context(), "tcp", "198.18.0.2:80")
	if !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("error = %v, want connection refused", err)
	}
	_ = listen(t, server, 80).Close()
	if _, err = client.Dial(t.Context(), "tcp", "198.18.0.2:80"); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("error after close = %v, want connection refused", err)
	}
}

func TestDial_DroppedPacketsTimeOut(t *testing.T) {
	closed := func(_, _ netip.Addr, _ string, port int) bool { return port != 22623 }
	for name, address := range map[string]string{"security group": "198.18.0.2:22623", "no such host": "198.18.0.9:80"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, server := pair(t, Config{Allows: closed})
				listen(t, server, 22623)
				began := time.Now()
				_, err := client.Dial(t.Context(), "tcp", address)
				var timeout net.Error
				if !errors.As(err, &timeout) || !timeout.Timeout() {
					t.Errorf("error = %v, want a timeout", err)
				}
				if waited := time.Since(began); waited != connectTimeout {
					t.Errorf("waited %v, want %v", waited, connectTimeout)
				}
			})
		})
	}
}

func TestDial_DroppedPacketsEndWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _ := pair(t, Config{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := client.Dial(ctx, "tcp", "198.18.0.9:80"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error = %v, want the context's", err)
		}
	})
}

func TestDial_TriesAddressesInOrder(t *testing.T) {
	resolve := func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{address("198.18.0.9"), address("198.18.0.2")}, nil
	}
	synctest.Test(t, func(t *testing.T) {
		client, server := pair(t, Config{Resolve: resolve})
		listen(t, server, 80)
		c, err := client.Dial(t.Context(), "tcp", "lb.example.net:80")
		if err != nil {
			t.Fatal(err)
		}
		if got := c.RemoteAddr().String(); got != "198.18.0.2:80" {
			t.Errorf("connected to %s", got)
		}
	})
}

func TestElasticIP_Translated(t *testing.T) {
	translate := func(from netip.Addr, to netip.AddrPort, _ string) (netip.AddrPort, netip.Addr, bool) {
		if to.Addr() == address("198.19.0.1") {
			return netip.AddrPortFrom(address("198.18.0.2"), to.Port()), from, true
		}
		return to, from, true
	}
	client, server := pair(t, Config{Translate: translate})
	l := listen(t, server, 443)
	c, err := client.Dial(t.Context(), "tcp", "198.19.0.1:443")
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if got := c.RemoteAddr().String(); got != "198.19.0.1:443" {
		t.Errorf("the client sees %s", got)
	}
	if got := accepted.LocalAddr().String(); got != "198.18.0.2:443" {
		t.Errorf("the server sees %s as its own", got)
	}
	if accepted.RemoteAddr().String() != c.LocalAddr().String() {
		t.Errorf("the server sees %s, the client is %s", accepted.RemoteAddr(), c.LocalAddr())
	}
}

func TestLoadBalancer_PortTranslated(t *testing.T) {
	balanced := netip.MustParseAddrPort("198.19.0.1:80")
	client, server := pair(t, Config{
		Translate: func(from netip.Addr, to netip.AddrPort, _ string) (netip.AddrPort, netip.Addr, bool) {
			return netip.MustParseAddrPort("198.18.0.2:30080"), from, to == balanced
		},
		Allows: func(_, _ netip.Addr, _ string, port int) bool { return port == 30080 },
	})
	l := listen(t, server, 30080)
	c, err := client.Dial(t.Context(), "tcp", balanced.String())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if got := c.RemoteAddr().String(); got != balanced.String() {
		t.Errorf("the client sees %s", got)
	}
	if got := accepted.LocalAddr().String(); got != "198.18.0.2:30080" {
		t.Errorf("the server sees %s as its own", got)
	}
	if !IsRedialable(c) {
		t.Error("dialing again would lead elsewhere")
	}
}

func TestDial_RewrittenSourceAddress(t *testing.T) {
	rewrite := func(_ netip.Addr, to netip.AddrPort, _ string) (netip.AddrPort, netip.Addr, bool) {
		return to, address("203.0.113.9"), true
	}
	var filtered netip.Addr
	client, server := pair(t, Config{Translate: rewrite, Allows: func(from, _ netip.Addr, _ string, _ int) bool {
		filtered = from
		return true
	}})
	l := listen(t, server, 443)
	c, err := client.Dial(t.Context(), "tcp", "198.18.0.2:443")
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if seen := accepted.RemoteAddr().(*net.TCPAddr).AddrPort().Addr(); seen != address("203.0.113.9") || filtered != seen {
		t.Errorf("the server sees %s, its rules %s", seen, filtered)
	}
	if own := c.LocalAddr().(*net.TCPAddr).AddrPort().Addr(); own != client.Address() {
		t.Errorf("the client takes itself for %s", own)
	}
}

func TestSilence_ClosesNoConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := pair(t, Config{})
		l := listen(t, server, 443)
		c, err := client.Dial(t.Context(), "tcp", "198.18.0.2:443")
		if err != nil {
			t.Fatal(err)
		}
		accepted, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		server.Silence()
		if _, err := c.Write([]byte("hello")); err != nil {
			t.Errorf("the loss of a packet is told: %v", err)
		}
		_ = accepted.Close()
		_ = c.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the end of the connection is told: %v", err)
		}
		if _, err := client.Dial(t.Context(), "tcp", "198.18.0.2:443"); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a new connection: %v", err)
		}
	})
}

func TestHost_CloseEndsConnections(t *testing.T) {
	client, server := pair(t, Config{})
	l := listen(t, server, 80)
	c, err := client.Dial(t.Context(), "tcp", "198.18.0.2:80")
	if err != nil {
		t.Fatal(err)
	}
	server.Close()
	if _, err = c.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("read = %v, want a reset", err)
	}
	if _, err = l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("accept = %v, want closed", err)
	}
	if _, err = server.Listen(81); !errors.Is(err, net.ErrClosed) {
		t.Errorf("listen = %v, want closed", err)
	}
}

func TestConn_HalfClosed(t *testing.T) {
	client, server := pair(t, Config{})
	l := listen(t, server, 80)
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		request, _ := io.ReadAll(c)
		_, _ = c.Write(bytes.ToUpper(request))
		_ = c.Close()
	}()
	c, err := client.Dial(t.Context(), "tcp", "198.18.0.2:80")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(c, "hello")
	if half, ok := c.(interface{ CloseWrite() error }); !ok || half.CloseWrite() != nil {
		t.Fatal("no half close")
	}
	if answer, err := io.ReadAll(c); err != nil || string(answer) != "HELLO" {
		t.Errorf("answer = %q, %v", answer, err)
	}
}

func TestConn_ReadDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := pair(t, Config{})
		listen(t, server, 80)
		c, err := client.Dial(t.Context(), "tcp", "198.18.0.2:80")
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_ = c.SetReadDeadline(began.Add(time.Minute))
		if _, err = c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("read = %v, want the deadline", err)
		}
		if waited := time.Since(began); waited != time.Minute {
			t.Errorf("waited %v", waited)
		}
	})
}

func TestCA_IsTrusted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := pair(t, Config{})
		ca, err := NewCA("Simulated Root")
		if err != nil {
			t.Fatal(err)
		}
		config, err := ca.NewServerTLS("198.18.0.2")
		if err != nil {
			t.Fatal(err)
		}
		web := &http.Server{Handler: http.NotFoundHandler()}
		listener := tls.NewListener(listen(t, server, 443), config)
		go func() { _ = web.Serve(listener) }()
		defer func() { _ = web.Close() }()
		for pool, want := range map[bool]bool{true: true, false: false} {
			network := client.Network(nil)
			if pool {
				network.Roots = ca.Pool()
			}
			browser := network.NewClient()
			answer, err := browser.Get("https://198.18.0.2/")
			if (err == nil) != want {
				t.Errorf("trusting=%v: %v", pool, err)
			}
			if err == nil {
				_ = answer.Body.Close()
			}
			browser.CloseIdleConnections()
		}
	})
}

// TestConn_CopiedWhole copies more than is in flight at once from one connection to another, as a load balancer does.
func TestConn_CopiedWhole(t *testing.T) {
	client, server := pair(t, Config{})
	l := listen(t, server, 80)
	want := bytes.Repeat([]byte("0123456789abcdef"), 20*window/16)
	var conns [2][2]net.Conn
	for i := range conns {
		dialed, err := client.Dial(t.Context(), "tcp", "198.18.0.2:80")
		if err != nil {
			t.Fatal(err)
		}
		accepted, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		conns[i] = [2]net.Conn{dialed, accepted}
	}
	go func() {
		_, _ = conns[0][0].Write(want)
		_ = conns[0][0].Close()
	}()
	go func() {
		if n, err := io.Copy(conns[1][0], conns[0][1]); n != int64(len(want)) || err != nil {
			t.Errorf("copied %d bytes of %d, error %v", n, len(want), err)
		}
		_ = conns[1][0].Close()
	}()
	if got, err := io.ReadAll(conns[1][1]); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes arrived of %d, error %v", len(got), len(want), err)
	}
	_ = conns[1][1].SetReadDeadline(time.Now().Add(-time.Second))
	if _, err := io.Copy(io.Discard, conns[1][1]); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("after its deadline a copy ends with %v", err)
	}
}
