package conformance

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/simcloud/certificate"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/kube/apiserver"
	"exoshift/internal/simcloud/store"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestSimulatedAPI_MatchesTranscript(t *testing.T) {
	server := simulated(t)
	for _, check := range Checks() {
		t.Run(check.Name, func(t *testing.T) {
			got, err := Transcript(t.Context(), server, check)
			must(t, err)
			want, err := os.ReadFile(check.File())
			must(t, err)
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("-real +simulated:\n%s", diff)
			}
		})
	}
}

// simulated serves the simulated API to everybody who takes part.
func simulated(t *testing.T) Server {
	t.Helper()
	authority := newAuthority(t)
	objects, err := kube.Load(store.NewMemory(), "objects", time.Now)
	must(t, err)
	known := pool(authority)
	server := httptest.NewUnstartedServer(&apiserver.Server{
		Objects: objects, Version: "1.33.5", Ready: func() error { return nil }, Authorize: authorize,
		Authenticator: apiserver.Authenticator{Clients: func() *x509.CertPool { return known }},
	})
	server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert, MinVersion: tls.VersionTLS12}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(server.Certificate())
	return Server{URL: server.URL, Clients: map[string]*http.Client{
		Admin:    client(t, trusted, authority, "system:admin", "system:masters"),
		Viewer:   client(t, trusted, authority, ViewerName),
		Stranger: client(t, trusted, newAuthority(t), "system:admin", "system:masters"),
		Nobody:   {Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}}},
	}}
}

// authorize is what roles say on a real server.
func authorize(a apiserver.Attributes) bool {
	reads := a.Verb == "get" || a.Verb == "list"
	switch {
	case a.User.HasGroup("system:masters"):
		return true
	case a.User.Name != ViewerName:
		return false
	}
	return a.Resource == "nodes" && reads || a.Resource == "certificatesigningrequests" && (a.Verb == "create" || a.Verb == "list")
}

func newAuthority(t *testing.T) certificate.Pair {
	t.Helper()
	authority, err := certificate.NewAuthority(pkix.Name{CommonName: "authority"}, time.Hour, time.Now())
	must(t, err)
	return authority
}

func pool(authority certificate.Pair) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(authority.Certificate)
	return pool
}

func client(t *testing.T, trusted *x509.CertPool, authority certificate.Pair, name string, groups ...string) *http.Client {
	t.Helper()
	user, err := authority.Issue(certificate.Request{
		Subject: pkix.Name{CommonName: name, Organization: groups}, Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, Validity: time.Hour,
	}, time.Now())
	must(t, err)
	shown := tls.Certificate{Certificate: [][]byte{user.Certificate.Raw}, PrivateKey: user.Key}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		RootCAs: trusted, MinVersion: tls.VersionTLS12,
		// It is shown whatever authorities the server says to know.
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &shown, nil },
	}}}
}
