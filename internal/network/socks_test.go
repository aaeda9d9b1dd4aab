package network

import (
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"
)

// openSOCKS starts a SOCKS5 proxy with password authentication that sends the requests to asked and connects all of them to
// one address; if to is "" it rejects them.
func openSOCKS(t *testing.T, to string, asked chan<- string) string {
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
			serveSOCKS(conn, to, asked)
			_ = conn.Close()
		}
	}()
	return listener.Addr().String()
}

func serveSOCKS(conn net.Conn, to string, asked chan<- string) {
	read := func(n int) []byte {
		b := make([]byte, n)
		_, _ = io.ReadFull(conn, b)
		return b
	}
	read(int(read(2)[1]))             // the authentication methods
	_, _ = conn.Write([]byte{5, 2})   // by password
	user := read(int(read(2)[1]))     // after the version
	password := read(int(read(1)[0])) //
	_, _ = conn.Write([]byte{1, 0})   // success
	name := read(int(read(5)[4]))     // after version, command and the kind of address
	port := read(2)                   //
	asked <- string(user) + ":" + string(password) + " " + string(name) + " " + string('0'+rune(port[1]))
	if to == "" {
		_, _ = conn.Write([]byte{5, 2, 0, 1, 0, 0, 0, 0, 0, 0}) // connection not allowed
		return
	}
	target, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	_, _ = conn.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	_, _ = io.Copy(conn, target)
	_ = target.Close()
}

func TestSOCKS_ConnectsByName(t *testing.T) {
	asked := make(chan string, 1)
	greeting, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = greeting.Close() }()
	go func() {
		if conn, err := greeting.Accept(); err == nil {
			_, _ = io.WriteString(conn, "hello")
			_ = conn.Close()
		}
	}()
	proxy := &url.URL{Scheme: "socks5", Host: openSOCKS(t, greeting.Addr().String(), asked), User: url.UserPassword("me", "very-secret")}
	conn, err := behind(nil).ConnectThrough(t.Context(), proxy, "git.example.com:1")
	must(t, err)
	defer func() { _ = conn.Close() }()
	if got, err := io.ReadAll(conn); err != nil || string(got) != "hello" {
		t.Errorf("%q, %v", got, err)
	}
	if got := <-asked; got != "me:very-secret git.example.com 1" {
		t.Errorf("the proxy was asked %q", got)
	}
}

func TestSOCKS_Refused(t *testing.T) {
	proxy := &url.URL{Scheme: "socks5h", Host: openSOCKS(t, "", make(chan string, 1)), User: url.UserPassword("me", "very-secret")}
	_, err := behind(nil).ConnectThrough(t.Context(), proxy, "git.example.com:1")
	var refusal *ProxyError
	if !errors.As(err, &refusal) || refusal.Proxy != proxy.Host || strings.Contains(err.Error(), "very-secret") {
		t.Errorf("error = %v", err)
	}
}
