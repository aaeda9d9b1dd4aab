package e2e

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"exoshift/internal/simcloud/fabric"
)

// world is a network with name servers, the machines of a cluster, and clients, all in this process.
type world struct {
	t     *testing.T
	link  netlink.Link
	ca    *fabric.CA
	names *names
}

// newWorld returns nothing where the test does not run but another process does; see alone.
func newWorld(t *testing.T) (*world, bool) {
	t.Helper()
	if !alone(t) {
		return nil, false
	}
	w := &world{t: t}
	var err error
	w.ca, err = fabric.NewCA("Cluster CA")
	must(t, err)
	cable := netlink.NewLinkAttrs()
	cable.Name = "world"
	must(t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: cable, PeerName: "eth0"}))
	w.link, err = netlink.LinkByName("world")
	must(t, err)
	must(t, join(w.link, "10.0.0.1/24"))
	w.own(netip.MustParseAddr(nameServer))
	w.names = serveNames(t)
	return w, true
}

// join puts an interface of the current thread's network to work.
func join(link netlink.Link, cidr string) error {
	address, err := netlink.ParseAddr(cidr)
	if err != nil {
		return err
	}
	if err := netlink.AddrAdd(link, address); err != nil {
		return err
	}
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return err
	}
	if err := netlink.LinkSetUp(lo); err != nil {
		return err
	}
	return netlink.LinkSetUp(link)
}

// own gives the world one more address.
func (w *world) own(address netip.Addr) {
	w.t.Helper()
	parsed, err := netlink.ParseAddr(address.String() + "/32")
	must(w.t, err)
	must(w.t, netlink.AddrReplace(w.link, parsed))
}

// get asks from an address of the world, and returns the status and the body.
func (w *world) get(from netip.Addr, to netip.AddrPort, scheme, path string) (int, string, error) {
	dialer := net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0))}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, to.String())
		},
		TLSClientConfig:   &tls.Config{RootCAs: w.ca.Pool(), ServerName: "api." + domain},
		DisableKeepAlives: true,
	}
	client := http.Client{Transport: transport, Timeout: 8 * time.Second}
	response, err := client.Get(scheme + "://api." + domain + path)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, string(body), err
}

// check returns an error as long as something is not as it should be.
type check func() error

// all checks one after the other.
func all(checks ...check) check {
	return func() error {
		for _, check := range checks {
			if err := check(); err != nil {
				return err
			}
		}
		return nil
	}
}

// eventually fails unless a check succeeds before the time is over. It counts checks, of which a busy machine makes fewer.
func (w *world) eventually(within time.Duration, check check) {
	w.t.Helper()
	const interval = 200 * time.Millisecond
	var err error
	for checks := 0; checks <= int(within/interval); checks++ {
		if err = check(); err == nil {
			return
		}
		wait(interval)
	}
	w.t.Fatalf("after %s: %v; the names are %s", within, err, strings.Join(w.names.known(), " "))
}

// throughout fails if a check does at any time during the period.
func (w *world) throughout(period time.Duration, check check) {
	w.t.Helper()
	end := time.After(period)
	again := time.NewTicker(500 * time.Millisecond)
	defer again.Stop()
	for {
		if err := check(); err != nil {
			w.t.Fatal(err)
		}
		select {
		case <-end:
			return
		case <-again.C:
		}
	}
}

// scan reads numbers from the beginning of a text.
func scan(text string, into ...any) bool {
	n, err := fmt.Sscan(text, into...)
	return err == nil && n == len(into)
}
