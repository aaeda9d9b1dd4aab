package apiserver

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"exoshift/internal/simcloud/certificate"
	"exoshift/internal/simcloud/fabric"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/store"
)

const (
	apiHost = "api.c-demo.example.com"
	address = "198.18.0.1"
)

// api is an API server on an in-memory network and the authority of its own and its clients' certificates.
type api struct {
	objects *kube.Objects
	ready   func() error
	ca      certificate.Pair
	network *fabric.Fabric
	client  *fabric.Host
}

func newAPI(t *testing.T, db *store.DB) *api {
	t.Helper()
	objects, err := kube.Load(db, "objects", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	ca, err := certificate.NewAuthority(pkix.Name{CommonName: "ca"}, time.Hour, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	resolve := func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr(address)}, nil
	}
	a := &api{objects: objects, ca: ca, network: fabric.New(fabric.Config{Resolve: resolve}), ready: func() error { return nil }}
	t.Cleanup(a.network.Close)
	host := must(a.network.AddHost(netip.MustParseAddr(address)))
	a.client = must(a.network.AddHost(netip.MustParseAddr("198.18.0.2")))
	a.serve(t, must(host.Listen(6443)))
	return a
}

func (a *api) space(names ...string) {
	for _, name := range names {
		must(a.objects.Create(namespaces, "", kube.Object{"metadata": kube.Object{"name": name}}))
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func (a *api) serve(t *testing.T, listener net.Listener) {
	serving := must(a.ca.Issue(certificate.Request{DNS: []string{apiHost}, Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, Validity: time.Hour}, time.Now()))
	pool := x509.NewCertPool()
	pool.AddCert(a.ca.Certificate)
	handler := &Server{
		Objects: a.objects,
		Authenticator: Authenticator{
			Clients: func() *x509.CertPool { return pool },
			Token: func(token string) (User, bool) {
				return User{Name: "robot"}, token == "right"
			},
		},
		Authorize: func(a Attributes) bool {
			return a.User.HasGroup("system:masters") || a.Resource == "configmaps" && a.Verb == "get"
		},
		Ready:   func() error { return a.ready() },
		Version: "1.33.5",
	}
	server := &http.Server{Handler: handler}
	config := &tls.Config{ClientAuth: tls.RequestClientCert, MinVersion: tls.VersionTLS12,
		Certificates: []tls.Certificate{{Certificate: [][]byte{serving.Certificate.Raw}, PrivateKey: serving.Key}}}
	go func() { _ = server.Serve(tls.NewListener(listener, config)) }()
	t.Cleanup(func() { _ = server.Close() })
}

func (a *api) as(user string, groups ...string) *rest.Config {
	pair := must(a.ca.Issue(certificate.Request{Subject: pkix.Name{CommonName: user, Organization: groups},
		Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, Validity: time.Hour}, time.Now()))
	return &rest.Config{Host: "https://" + apiHost + ":6443", Dial: a.client.Dial, QPS: -1,
		ContentConfig:   rest.ContentConfig{ContentType: "application/json"}, // the simulated API does not support protobuf
		TLSClientConfig: rest.TLSClientConfig{CAData: a.ca.CertPEM(), CertData: pair.CertPEM(), KeyData: must(pair.KeyPEM())}}
}

func (a *api) admin() *kubernetes.Clientset {
	return kubernetes.NewForConfigOrDie(a.as("system:admin", "system:masters"))
}

func configMap(name string, data ...string) *corev1.ConfigMap {
	made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{}}
	for i := 0; i+1 < len(data); i += 2 {
		made.Data[data[i]] = data[i+1]
	}
	return made
}
