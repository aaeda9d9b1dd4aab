package fabric

import (
	"bytes"
	"errors"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func hear(t *testing.T, h *Host, port int) net.PacketConn {
	t.Helper()
	c, err := h.ListenPacket(port)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func dialUDP(t *testing.T, h *Host, address string) net.Conn {
	t.Helper()
	c, err := h.Dial(t.Context(), "udp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func say(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := c.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
}

// echo returns each datagram in capitals.
func echo(c net.PacketConn) {
	buffer := make([]byte, maxDatagram)
	for {
		n, from, err := c.ReadFrom(buffer)
		if err != nil {
			return
		}
		_, _ = c.WriteTo(bytes.ToUpper(buffer[:n]), from)
	}
}

func answer(t *testing.T, c net.Conn) string {
	t.Helper()
	buffer := make([]byte, 64)
	n, err := c.Read(buffer)
	if err != nil {
		t.Fatal(err)
	}
	return string(buffer[:n])
}

func TestDatagram_OneByOne(t *testing.T) {
	client, server := pair(t, Config{})
	go echo(hear(t, server, 123))
	c := dialUDP(t, client, "198.18.0.2:123")
	say(t, c, "one")
	say(t, c, "two")
	if got := []string{answer(t, c), answer(t, c)}; !slices.Equal(got, []string{"ONE", "TWO"}) {
		t.Errorf("answers: %q", got)
	}
	if _, packets := c.(net.PacketConn); !packets {
		t.Error("nobody can see that the connection carries packets")
	}
	if got := c.RemoteAddr().String() + "/" + c.RemoteAddr().Network(); got != "198.18.0.2:123/udp" {
		t.Errorf("connected to %s", got)
	}
}

func TestDatagram_LostWithoutReceiver(t *testing.T) {
	closed := func(_, _ netip.Addr, proto string, port int) bool { return proto != "udp" || port != 124 }
	for name, address := range map[string]string{"security group": "198.18.0.2:124", "no such host": "198.18.0.9:123"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, server := pair(t, Config{Allows: closed})
				go echo(hear(t, server, 124))
				c := dialUDP(t, client, address)
				say(t, c, "hello")
				began := time.Now()
				_ = c.SetReadDeadline(began.Add(5 * time.Second))
				if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != 5*time.Second {
					t.Errorf("read = %v after %s, want the deadline", err, time.Since(began))
				}
			})
		})
	}
}

func TestDatagram_ClosedPort(t *testing.T) {
	client, _ := pair(t, Config{})
	c := dialUDP(t, client, "198.18.0.2:123")
	say(t, c, "hello")
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("read = %v, want connection refused", err)
	}
}

func TestDatagram_AnswersNeedNoRule(t *testing.T) {
	var open atomic.Bool
	inwards := func(_, to netip.Addr, _ string, _ int) bool { return to == address("198.18.0.2") || open.Load() }
	synctest.Test(t, func(t *testing.T) {
		client, server := pair(t, Config{Allows: inwards})
		service := hear(t, server, 123)
		go echo(service)
		c := dialUDP(t, client, "198.18.0.2:123")
		say(t, c, "hello")
		if got := answer(t, c); got != "HELLO" {
			t.Errorf("answer: %s", got)
		}
		other := hear(t, client, 5000)
		_, _ = service.WriteTo([]byte("unasked"), other.LocalAddr())
		_ = other.SetReadDeadline(time.Now().Add(time.Second))
		if _, _, err := other.ReadFrom(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("what nobody asked for passes without a rule: %v", err)
		}
		_ = service.Close()
	})
}

func TestDatagram_AnswersFromQueriedAddress(t *testing.T) {
	elastic := func(from netip.Addr, to netip.AddrPort, _ string) (netip.AddrPort, netip.Addr, bool) {
		if to.Addr() == address("198.19.0.1") {
			return netip.AddrPortFrom(address("198.18.0.2"), to.Port()), from, true
		}
		return to, from, true
	}
	client, server := pair(t, Config{Translate: elastic})
	go echo(hear(t, server, 123))
	c := dialUDP(t, client, "198.19.0.1:123")
	say(t, c, "hello")
	if got := answer(t, c); got != "HELLO" {
		t.Errorf("answer: %s", got)
	}
}

func TestDatagram_ConnectedPortFiltersPeer(t *testing.T) {
	client, server := pair(t, Config{})
	c := dialUDP(t, client, "198.18.0.2:123")
	service, stranger := hear(t, server, 123), hear(t, server, 0)
	_, _ = stranger.WriteTo([]byte("false"), c.LocalAddr())
	_, _ = service.WriteTo([]byte("true"), c.LocalAddr())
	if got := answer(t, c); got != "true" {
		t.Errorf("heard %q", got)
	}
}

func TestDial_NoIPv6Route(t *testing.T) {
	client, _ := pair(t, Config{})
	for proto, address := range map[string]string{"tcp6": "198.18.0.2:80", "udp6": "198.18.0.2:80", "tcp": "[2001:db8::1]:80", "udp": "[2001:db8::1]:80"} {
		if _, err := client.Dial(t.Context(), proto, address); !errors.Is(err, syscall.ENETUNREACH) {
			t.Errorf("%s %s: %v, want no route", proto, address, err)
		}
	}
}

func TestDatagram_PortClosesWithHost(t *testing.T) {
	_, server := pair(t, Config{})
	c := hear(t, server, 123)
	if _, err := server.ListenPacket(123); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("opened twice: %v", err)
	}
	server.Close()
	if _, _, err := c.ReadFrom(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("read = %v, want closed", err)
	}
}

func TestLazyHost_StartsOnDemand(t *testing.T) {
	client, _ := pair(t, Config{})
	var woken atomic.Int32
	_, err := client.fabric.AddLazyHost(address("198.18.0.3"), func(h *Host) {
		woken.Add(1)
		go echo(hear(t, h, 123))
	})
	if err != nil {
		t.Fatal(err)
	}
	if woken.Load() != 0 {
		t.Error("it is awake before anybody asks")
	}
	for range 2 {
		c := dialUDP(t, client, "198.18.0.3:123")
		say(t, c, "hello")
		if got := answer(t, c); got != "HELLO" || woken.Load() != 1 {
			t.Errorf("answer %q, woken %d times", got, woken.Load())
		}
	}
}

func TestListenAll_AnswersForOthers(t *testing.T) {
	middle := address("192.0.2.1")
	divert := func(from, _ netip.Addr, proto string, port int) netip.Addr {
		if from == address("192.0.2.10") && proto == "tcp" && port == 443 {
			return middle
		}
		return netip.Addr{}
	}
	client, server := pair(t, Config{Redirect: divert})
	listen(t, server, 80)
	between, err := client.fabric.AddHost(middle)
	if err != nil {
		t.Fatal(err)
	}
	l, err := between.ListenAll()
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.Dial(t.Context(), "tcp", "203.0.113.9:443")
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if wanted, ok := GetOriginalDestination(accepted); !ok || wanted.String() != "203.0.113.9:443" || c.RemoteAddr().String() != wanted.String() {
		t.Errorf("the client dialed %s, the host in the middle sees %s", c.RemoteAddr(), wanted)
	}
	if c, err = client.Dial(t.Context(), "tcp", "198.18.0.2:80"); err != nil || c.RemoteAddr().String() != "198.18.0.2:80" {
		t.Errorf("what is not diverted: %v", err)
	}
	_ = l.Close()
	if _, err := client.Dial(t.Context(), "tcp", "203.0.113.9:443"); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("after close: %v", err)
	}
}
