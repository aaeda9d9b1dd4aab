package server

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/beevik/ntp"
	"golang.org/x/crypto/ssh"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/fabric"
)

const siteAddress = "203.0.113.100"

// world is an internet with one site, as a client uses it.
type world struct {
	network.Network
	t       *testing.T
	servers *Servers
}

func open(t *testing.T, now func(netip.Addr) time.Time, ports ...Port) world {
	t.Helper()
	f := fabric.New(fabric.Config{})
	t.Cleanup(f.Close)
	ca, err := fabric.NewCA("Internet")
	must(t, err)
	servers := New(Config{Fabric: f, CA: ca, Now: now})
	must(t, servers.Add(Site{Address: siteAddress, Ports: ports}))
	t.Cleanup(func() { _ = servers.Close() })
	client, err := f.AddHost(netip.MustParseAddr("192.0.2.10"))
	must(t, err)
	return world{client.Network(ca.Pool()), t, servers}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w world) get(url string) *http.Response {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, url, nil)
	must(w.t, err)
	transport := w.NewTransport()
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	must(w.t, err)
	_ = response.Body.Close()
	return response
}

func TestWebPorts_RedirectToHTTPS(t *testing.T) {
	w := open(t, nil, NewWebPorts(http.NotFoundHandler())...)
	if got := w.get("https://" + siteAddress + "/x").StatusCode; got != http.StatusNotFound {
		t.Errorf("by HTTPS: %d", got)
	}
	if got := w.get("http://" + siteAddress + "/x?y=z"); got.StatusCode != http.StatusMovedPermanently || got.Header.Get("Location") != "https://"+siteAddress+"/x?y=z" {
		t.Errorf("by HTTP: %s to %s", got.Status, got.Header.Get("Location"))
	}
}

func TestServers_DateOfOwnClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ahead := func(asker netip.Addr) time.Time {
			if asker.String() != "192.0.2.10" {
				t.Errorf("asked by %s", asker)
			}
			return time.Now().Add(time.Hour)
		}
		w := open(t, ahead, append(NewWebPorts(http.NotFoundHandler()), NTP{})...)
		date, err := http.ParseTime(w.get("https://" + siteAddress + "/").Header.Get("Date"))
		must(t, err)
		answer, err := ntp.QueryWithOptions(siteAddress, ntp.QueryOptions{Dialer: func(_, to string) (net.Conn, error) { return w.Dial(t.Context(), "udp", to) }})
		must(t, err)
		must(t, answer.Validate())
		if by := time.Until(date); by < 59*time.Minute || by > time.Hour || (answer.ClockOffset-time.Hour).Abs() > time.Millisecond || answer.Stratum != 2 {
			t.Errorf("HTTP is ahead by %s, NTP by %s", by, answer.ClockOffset)
		}
		must(t, w.servers.Close())
	})
}

func TestNTP_IgnoresInvalid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, nil, NTP{})
		c, err := w.Dial(t.Context(), "udp", siteAddress+":123")
		must(t, err)
		for _, question := range []string{"?", strings.Repeat("\x24", 48)} { // too short; a server's response
			_, err = io.WriteString(c, question)
			must(t, err)
		}
		_ = c.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := c.Read(make([]byte, 64)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("an answer: %v", err)
		}
		must(t, w.servers.Close())
	})
}

func TestSSH_ProvesKeyRefusesLogin(t *testing.T) {
	key, err := DeriveHostKey([]byte("seed"), "git.example.net")
	must(t, err)
	again, err := DeriveHostKey([]byte("seed"), "git.example.net")
	must(t, err)
	other, err := DeriveHostKey([]byte("seed"), "www.example.net")
	must(t, err)
	if FormatAuthorizedKey(key) != FormatAuthorizedKey(again) || FormatAuthorizedKey(key) == FormatAuthorizedKey(other) {
		t.Error("the key of a host is not its own")
	}
	w := open(t, nil, SSH{Version: "SSH-2.0-Test_1", Key: key})
	conn, err := w.Dial(t.Context(), "tcp", siteAddress+":22")
	must(t, err)
	var seen string
	_, _, _, err = ssh.NewClientConn(conn, "git.example.net", &ssh.ClientConfig{
		User: "git", Auth: []ssh.AuthMethod{ssh.PublicKeys(other)},
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			seen = strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
			return nil
		},
	})
	if err == nil || !strings.Contains(err.Error(), "unable to authenticate") || seen != FormatAuthorizedKey(key) {
		t.Errorf("%v, key %s", err, seen)
	}
}

func TestServers_CloseEndsConnections(t *testing.T) {
	key, err := DeriveHostKey([]byte("seed"), "git.example.net")
	must(t, err)
	served := make(chan struct{})
	w := open(t, nil, append(NewWebPorts(http.NotFoundHandler()), SSH{Version: "SSH-2.0-Test_1", Key: key},
		Listener{Port: 7, Serve: func(ctx context.Context, _ *fabric.Host, _ net.Listener) error {
			<-ctx.Done()
			close(served)
			return ctx.Err()
		}})...)
	c, err := w.Dial(t.Context(), "tcp", siteAddress+":22")
	must(t, err)
	must(t, w.servers.Close())
	<-served
	if _, err := io.ReadAll(c); err != nil && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("an open connection: %v", err)
	}
	if _, err := w.Dial(t.Context(), "tcp", siteAddress+":443"); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a new connection: %v", err)
	}
	must(t, w.servers.Add(Site{Address: "203.0.113.101", Ports: NewWebPorts(http.NotFoundHandler())}))
	if _, err := w.Dial(t.Context(), "tcp", "203.0.113.101:443"); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a site that wakes after the end: %v", err)
	}
}
