package kubelease_test

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/simcloud/certificate"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/kube/apiserver"
	"exoshift/internal/simcloud/site"
	database "exoshift/internal/simcloud/store"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/provisioner/openshift/kubelease"
	"exoshift/state/lease/leasetest"
)

const host = "api.engine.example.net"

// cluster is the simulated API of a cluster, in whose namespace "fleet" an account may use Leases.
type cluster struct {
	*testing.T
	server *site.Site
	login  kubeapi.Login
}

func open(t *testing.T) *cluster {
	t.Helper()
	objects, err := kube.Load(database.NewMemory(), "objects", time.Now)
	must(t, err)
	for _, name := range []string{"fleet", "other"} {
		_, err = objects.Create("namespaces", "", kube.Object{"metadata": kube.Object{"name": name}})
		must(t, err)
	}
	api := &apiserver.Server{
		Objects: objects, Version: "1.33.5", Ready: func() error { return nil },
		Authenticator: apiserver.Authenticator{
			Clients: x509.NewCertPool,
			Token: func(token string) (apiserver.User, bool) {
				return apiserver.User{Name: "system:serviceaccount:fleet:exoshift"}, token == "right"
			},
		},
		Authorize: func(a apiserver.Attributes) bool {
			return a.Resource == "leases" && a.Namespace == "fleet" && (a.Verb == "get" || a.Verb == "create" || a.Verb == "update")
		},
	}
	server, err := site.Open(api, host)
	must(t, err)
	return &cluster{t, server, kubeapi.Login{Server: "https://" + host, Authority: authority(t, server.Network()), Token: func() (string, error) { return "right", nil }}}
}

// authority returns the certificate authority of the server, as a kubeconfig embeds it.
func authority(t *testing.T, net network.Network) []byte {
	t.Helper()
	conn, err := net.Dial(t.Context(), "tcp", host+":443")
	must(t, err)
	secured := tls.Client(conn, &tls.Config{ServerName: host, RootCAs: net.Roots, MinVersion: tls.VersionTLS12})
	must(t, secured.HandshakeContext(t.Context()))
	defer secured.Close()
	chain := secured.ConnectionState().VerifiedChains[0]
	return certificate.EncodeCertificate(chain[len(chain)-1])
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (c *cluster) open(namespace string) *kubelease.Store {
	c.Helper()
	s, err := kubelease.Open(c.server.Network(), c.login, namespace)
	must(c.T, err)
	return s
}

func TestStore(t *testing.T) {
	c := open(t)
	t.Cleanup(c.server.Close)
	leasetest.Run(t, c.open("fleet"))
}

func TestStore_Timed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t)
		defer c.server.Close()
		s := c.open("fleet")
		defer s.Close()
		leasetest.RunTimed(t, s)
	})
}

func TestStore_IsOfOneSharedState(t *testing.T) {
	c := open(t)
	t.Cleanup(c.server.Close)
	s := c.open("fleet")
	if err := s.Verify(t.Context(), "one"); !fault.Is(err, fault.NotFound) || !strings.Contains(fault.HintOf(err), "KUBECONFIG") {
		t.Errorf("another cluster: %v (hint %q)", err, fault.HintOf(err))
	}
	must(t, s.Claim(t.Context(), "one"))
	must(t, s.Claim(t.Context(), "one"))
	must(t, s.Verify(t.Context(), "one"))
	if err := s.Claim(t.Context(), "two"); !fault.Is(err, fault.Conflict) {
		t.Errorf("claimed for another: %v", err)
	}
}

func TestStore_ExplainsFailures(t *testing.T) {
	c := open(t)
	t.Cleanup(c.server.Close)
	if _, err := c.open("other").Get(t.Context(), "c-demo-1.json"); !fault.Is(err, fault.Denied) || !strings.Contains(fault.HintOf(err), "get, create and update on leases") {
		t.Errorf("without permission: %v (hint %q)", err, fault.HintOf(err))
	}
	c.login.Token = func() (string, error) { return "wrong", nil }
	if _, err := c.open("fleet").Get(t.Context(), "c-demo-1.json"); !fault.Is(err, fault.Denied) || strings.Contains(err.Error(), "wrong") {
		t.Errorf("wrong token: %v", err)
	}
	c.server.InjectFaults(site.Fault{Match: "GET ", Respond: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }})
	if _, err := c.open("fleet").Get(t.Context(), "c-demo-1.json"); !fault.Is(err, fault.Transient) {
		t.Errorf("unavailable: %v", err)
	}
	stranger, err := certificate.NewAuthority(pkix.Name{CommonName: "stranger"}, time.Hour, time.Now())
	must(t, err)
	c.login.Authority = stranger.CertPEM()
	if _, err := c.open("fleet").Get(t.Context(), "c-demo-1.json"); err == nil || !strings.Contains(err.Error(), "TLS") {
		t.Errorf("another authority: %v", err)
	}
	for name, login := range map[string]kubeapi.Login{
		"no credentials": {Server: c.login.Server, Authority: c.login.Authority}, "no authority": {Server: c.login.Server, Token: c.login.Token},
		"no TLS":    {Server: "http://" + host, Authority: c.login.Authority, Token: c.login.Token},
		"a command": {Kubeconfig: []byte("{apiVersion: v1, kind: Config, current-context: a, clusters: [{name: a, cluster: {server: 'https://a', certificate-authority-data: YQ==}}], users: [{name: a, user: {exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: /bin/false}}}], contexts: [{name: a, context: {cluster: a, user: a}}]}")},
	} {
		if _, err := kubelease.Open(c.server.Network(), login, "fleet"); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
