package middlebox

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/fabric"
	"exoshift/internal/simcloud/server"
)

const (
	clientAddress = "192.0.2.10"
	middleAddress = "192.0.2.1"
	shopAddress   = "203.0.113.100"
	fakeAddress   = "203.0.113.101" // with an untrusted certificate
)

// street is a client whose connections are redirected to a host in the middle, and the servers that it dials.
type street struct {
	network.Network
	t        *testing.T
	internet *fabric.CA
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// onStreet runs a test with a host in the middle.
func onStreet(t *testing.T, middle func(internet *fabric.CA, world network.Network) func(net.Listener) error, test func(t *testing.T, s street)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := fabric.New(fabric.Config{Redirect: func(from, _ netip.Addr, _ string, _ int) netip.Addr {
			if from.String() == clientAddress {
				return netip.MustParseAddr(middleAddress)
			}
			return netip.Addr{}
		}})
		defer f.Close()
		internet, err := fabric.NewCA("Internet")
		must(t, err)
		stranger, err := fabric.NewCA("Nobody")
		must(t, err)
		servers := server.New(server.Config{Fabric: f, CA: internet})
		defer func() { _ = servers.Close() }()
		shop := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the shop") })
		must(t, servers.Add(server.Site{Address: shopAddress, Ports: []server.Port{server.HTTPS{Handler: shop}, server.HTTP{Handler: shop}}}))
		must(t, servers.Add(server.Site{Address: fakeAddress, Ports: []server.Port{server.HTTPS{Handler: shop, CA: stranger}}}))
		host, err := f.AddHost(netip.MustParseAddr(middleAddress))
		must(t, err)
		l, err := host.ListenAll()
		must(t, err)
		defer func() { _ = l.Close() }()
		serve := middle(internet, host.Network(internet.Pool()))
		go func() { _ = serve(l) }()
		client, err := f.AddHost(netip.MustParseAddr(clientAddress))
		must(t, err)
		test(t, street{client.Network(internet.Pool()), t, internet})
	})
}

// get returns the body of a page, or the error.
func (s street) get(url string) (*http.Response, string, error) {
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, url, nil)
	must(s.t, err)
	transport := s.NewTransport()
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return response, string(body), err
}

func TestInterceptor_ForwardsData(t *testing.T) {
	var corp *fabric.CA
	intercept := func(_ *fabric.CA, world network.Network) func(net.Listener) error {
		var err error
		corp, err = fabric.NewAuthority(pkix.Name{CommonName: "Corp"})
		must(t, err)
		return NewInterceptor(corp, world).Serve
	}
	onStreet(t, intercept, func(t *testing.T, s street) {
		if _, body, err := s.get("http://" + shopAddress + "/"); err != nil || body != "the shop" {
			t.Errorf("without TLS: %q, %v", body, err)
		}
		var unknown *tls.CertificateVerificationError
		if _, _, err := s.get("https://" + shopAddress + "/"); !errors.As(err, &unknown) || unknown.UnverifiedCertificates[0].Issuer.String() != "CN=Corp" {
			t.Errorf("who does not trust it: %v", err)
		}
		s.Roots = corp.Pool()
		for range 2 {
			if response, body, err := s.get("https://" + shopAddress + "/"); err != nil || body != "the shop" || response.TLS.PeerCertificates[0].Issuer.CommonName != "Corp" {
				t.Errorf("who trusts it: %q, %v", body, err)
			}
		}
		if _, body, err := s.get("https://" + fakeAddress + "/"); err == nil {
			t.Errorf("a shop that the interceptor does not trust: %q", body)
		}
		if _, _, err := s.get("https://203.0.113.102/"); err == nil {
			t.Error("a shop that does not exist is open")
		}
	})
}

func TestInterceptor_ClientTimeout(t *testing.T) {
	intercept := func(internet *fabric.CA, world network.Network) func(net.Listener) error {
		return NewInterceptor(internet, world).Serve
	}
	onStreet(t, intercept, func(t *testing.T, s street) {
		c, err := s.Dial(t.Context(), "tcp", shopAddress+":80")
		must(t, err)
		began := time.Now()
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) || time.Since(began) != handshakeTimeout {
			t.Errorf("%v after %s", err, time.Since(began))
		}
	})
}

func TestPortal_AnswersEveryRequest(t *testing.T) {
	portal := func(internet *fabric.CA, _ network.Network) func(net.Listener) error {
		settings, err := internet.NewServerTLS("portal.example")
		must(t, err)
		return Portal{Name: "portal.example", TLS: settings}.Serve
	}
	onStreet(t, portal, func(t *testing.T, s street) {
		response, _, err := s.get("http://203.0.113.200/generate_204")
		must(t, err)
		if to := response.Header.Get("Location"); response.StatusCode != http.StatusFound || !strings.HasPrefix(to, "http://portal.example/login?") {
			t.Errorf("%s to %s", response.Status, to)
		}
		var wrong x509.HostnameError
		if _, _, err = s.get("https://" + shopAddress + "/"); !errors.As(err, &wrong) || wrong.Certificate.DNSNames[0] != "portal.example" {
			t.Errorf("by TLS: %v", err)
		}
		c, err := s.Dial(t.Context(), "tcp", shopAddress+":80")
		must(t, err)
		_, err = io.WriteString(c, "GET / HTTP/1.1\r\nHost: portal.example\r\nConnection: close\r\n\r\n")
		must(t, err)
		page, err := http.ReadResponse(bufio.NewReader(c), nil)
		must(t, err)
		_ = page.Body.Close()
		if page.StatusCode != http.StatusOK {
			t.Errorf("its own page: %s", page.Status)
		}
	})
}
