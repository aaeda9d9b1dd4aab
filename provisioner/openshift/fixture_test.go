package openshift_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/certificate"
	"exoshift/internal/simcloud/fabric"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/kube/apiserver"
	"exoshift/internal/simcloud/store"
	"exoshift/provisioner/openshift"
	"exoshift/state"
)

const apiName = "api.c1.example.net"

// rehearsal is a simulated API of a cluster, and a Cluster that polls it.
type rehearsal struct {
	*openshift.Cluster
	objects    *kube.Objects
	ready      atomic.Pointer[error] // why the API is not ready
	requests   atomic.Int64
	before     func(*http.Request)                                         // called before a request is served; may be nil
	instead    func(http.ResponseWriter, *http.Request, *apiserver.Server) // serves instead of the API server; may be nil
	master     *fabric.Host
	zone       *fabric.Fabric
	bootstrap  netip.Addr // passed to Poll; not valid at first
	expected   []state.ExpectedNode
	forbidden  string        // a kind that is forbidden for all; may be ""
	skew       time.Duration // of the server's clock
	names      map[string]netip.Addr
	tokens     map[string]apiserver.User // valid bearer tokens
	admins     map[string]bool           // users with all permissions beside the administrator
	stubborn   bool                      // the administrator keeps access whatever happens to its CA
	authority  certificate.Pair
	kubeconfig string
	net        network.Network
}

// rehearse starts an API server; everything stops with the test.
func rehearse(t testing.TB) *rehearsal {
	t.Helper()
	address := netip.MustParseAddr("192.0.2.1")
	r := &rehearsal{names: map[string]netip.Addr{apiName: address}, tokens: map[string]apiserver.User{}, admins: map[string]bool{}}
	zone := fabric.New(fabric.Config{Resolve: func(_ context.Context, name string) ([]netip.Addr, error) {
		if found, ok := r.names[name]; ok {
			return []netip.Addr{found}, nil
		}
		return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	}})
	r.zone = zone
	var err error
	if r.master, err = zone.AddHost(address); err != nil {
		t.Fatal(err)
	}
	client, err := zone.AddHost(netip.MustParseAddr("203.0.113.1"))
	if err != nil {
		t.Fatal(err)
	}
	r.net = client.Network(x509.NewCertPool())
	if r.objects, err = kube.Load(store.NewMemory(), "objects", time.Now); err != nil {
		t.Fatal(err)
	}
	r.define(t)
	r.authority = authority(t)
	r.kubeconfig = r.makeKubeconfig(t, r.authority)
	r.serve(t, r.master, r.authority)
	r.Cluster = openshift.NewCluster(r.net, func() ([]byte, error) { return []byte(r.kubeconfig), nil })
	t.Cleanup(zone.Close)
	t.Cleanup(r.Close)
	return r
}

func authority(t testing.TB) certificate.Pair {
	t.Helper()
	pair, err := certificate.NewAuthority(pkix.Name{CommonName: "root-ca"}, 24*time.Hour, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

// define adds OpenShift's kinds, as its operators do.
func (r *rehearsal) define(t testing.TB) {
	t.Helper()
	for _, kind := range []kube.Kind{
		{Group: "config.openshift.io", Resource: "clusterversions", Kind: "ClusterVersion"},
		{Group: "config.openshift.io", Resource: "clusteroperators", Kind: "ClusterOperator"},
		{Group: "operator.openshift.io", Resource: "etcds", Kind: "Etcd"},
		{Group: "operator.openshift.io", Resource: "kubeapiservers", Kind: "KubeAPIServer"},
		{Group: "operator.openshift.io", Resource: "kubecontrollermanagers", Kind: "KubeControllerManager"},
		{Group: "operator.openshift.io", Resource: "kubeschedulers", Kind: "KubeScheduler"},
		{Group: "operator.openshift.io", Resource: "ingresscontrollers", Kind: "IngressController", Namespaced: true},
		{Group: "config.openshift.io", Resource: "schedulers", Kind: "Scheduler"},
		{Group: "machineconfiguration.openshift.io", Resource: "machineconfigpools", Kind: "MachineConfigPool"},
		{Group: "route.openshift.io", Resource: "routes", Kind: "Route", Namespaced: true},
	} {
		kind.Version = "v1"
		r.put(t, "customresourcedefinitions.apiextensions.k8s.io", "", kind.Definition())
	}
	r.put(t, "namespaces", "", named("openshift-image-registry"))
}

func (r *rehearsal) put(t testing.TB, resource, namespace string, object kube.Object) {
	t.Helper()
	if _, err := r.objects.Create(resource, namespace, object); err != nil {
		t.Fatal(err)
	}
}

func (r *rehearsal) change(t testing.TB, resource, namespace, name, path string, value any) {
	t.Helper()
	_, err := r.objects.Update(resource, namespace, name, func(object kube.Object) error {
		object.Set(path, value)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func named(name string) kube.Object {
	return kube.Object{"metadata": map[string]any{"name": name}}
}

func with(object kube.Object, path string, value any) kube.Object {
	object.Set(path, value)
	return object
}

func conditions(texts ...[3]string) []any {
	var list []any
	for _, text := range texts {
		list = append(list, map[string]any{"type": text[0], "status": text[1], "message": text[2]})
	}
	return list
}

// serve runs an API server on a host with a certificate of authority.
func (r *rehearsal) serve(t testing.TB, host *fabric.Host, authority certificate.Pair) {
	t.Helper()
	clients := x509.NewCertPool()
	clients.AddCert(r.authority.Certificate)
	api := &apiserver.Server{
		Objects: r.objects, Version: "1.33.5",
		Authenticator: apiserver.Authenticator{
			Clients: func() *x509.CertPool {
				if r.withdrawn() && !r.stubborn {
					return x509.NewCertPool()
				}
				return clients
			},
			Token: func(token string) (apiserver.User, bool) { user, ok := r.tokens[token]; return user, ok },
			Issue: func(namespace, account string, _ time.Time) string { return "token of " + namespace + "/" + account },
		},
		Authorize: func(a apiserver.Attributes) bool {
			return (a.User.HasGroup("system:masters") || r.admins[a.User.Name]) && (r.forbidden == "" || a.Resource != r.forbidden)
		},
		Ready: func() error {
			if failure := r.ready.Load(); failure != nil {
				return *failure
			}
			return nil
		},
	}
	r.listen(t, host, 6443, r.certificate(t, authority, apiName), func(w http.ResponseWriter, q *http.Request) {
		r.requests.Add(1)
		if r.before != nil {
			r.before(q)
		}
		if r.instead != nil {
			r.instead(w, q, api)
			return
		}
		api.ServeHTTP(w, q)
	})
}

// withdrawn reports whether the CA of the administrator's kubeconfig was removed.
func (r *rehearsal) withdrawn() bool {
	authority, exists := r.objects.Get("configmaps", "openshift-config", "admin-kubeconfig-client-ca")
	return exists && authority.Map("data")["ca-bundle.crt"] == ""
}

func (r *rehearsal) certificate(t testing.TB, authority certificate.Pair, name string) certificate.Pair {
	t.Helper()
	issued, err := authority.Issue(certificate.Request{
		Subject: pkix.Name{CommonName: name}, DNS: []string{name},
		Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, Validity: time.Hour,
	}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return issued
}

func (r *rehearsal) listen(t testing.TB, host *fabric.Host, port int, shown certificate.Pair, handle http.HandlerFunc) {
	t.Helper()
	listener, err := host.Listen(port)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{ErrorLog: log.New(io.Discard, "", 0), Handler: handle}
	served := tls.NewListener(listener, &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{shown.Certificate.Raw}, PrivateKey: shown.Key}},
		ClientAuth:   tls.RequestClientCert, MinVersion: tls.VersionTLS12,
	})
	go func() { _ = server.Serve(served) }()
	t.Cleanup(func() { _ = server.Close() })
}

func (r *rehearsal) Nodes(ctx context.Context) ([]state.NodeStatus, error) {
	seen, err := r.Poll(ctx, r.bootstrap, r.expected)
	return seen.Nodes, err
}

func (r *rehearsal) observe(t testing.TB) state.Snapshot {
	t.Helper()
	seen, err := r.Poll(t.Context(), r.bootstrap, r.expected)
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

func (r *rehearsal) makeKubeconfig(t testing.TB, authority certificate.Pair) string {
	t.Helper()
	admin, err := authority.Issue(certificate.Request{
		Subject: pkix.Name{CommonName: "system:admin", Organization: []string{"system:masters"}},
		Usages:  []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, Validity: time.Hour,
	}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	key, err := admin.KeyPEM()
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.StdEncoding.EncodeToString
	return fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: c1, cluster: {server: "https://%s:6443", certificate-authority-data: %s}}]
contexts: [{name: admin, context: {cluster: c1, user: admin}}]
current-context: admin
users: [{name: admin, user: {client-certificate-data: %s, client-key-data: %s}}]
`, apiName, encode(authority.CertPEM()), encode(admin.CertPEM()), encode(key))
}

// unready makes the API server not ready for a reason, or ready again for "".
func (r *rehearsal) unready(reason string) {
	if reason == "" {
		r.ready.Store(nil)
		return
	}
	failure := errors.New(reason)
	r.ready.Store(&failure)
}
