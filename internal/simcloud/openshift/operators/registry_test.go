package operators

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/fabric"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/s3"
	"exoshift/internal/simcloud/scenario"
	"exoshift/internal/simcloud/store"
)

const (
	registryZone   = "ch-gva-2"
	registryKey    = "EXOregistry"
	registrySecret = "registry-secret"
	storageName    = "sos-" + registryZone + ".exo.io"
)

// trusting is a machine that only dials, and trusts an authority.
type trusting struct {
	machine.Machine
	host  *fabric.Host
	roots *x509.CertPool
}

func (m trusting) Network() network.Network { return m.host.Network(m.roots) }

// storeroom is a master's connection to an object storage that has one bucket.
type storeroom struct {
	*loop
	t       *testing.T
	bucket  func() // makes it
	allowed bool   // the key's policy allows access
	closed  bool   // the storage is unreachable
}

func inStoreroom(t *testing.T, f func(*testing.T, *storeroom)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		clock := network.Clock{}
		kept, err := cluster.Load(store.NewMemory(), clock, scenario.Cluster{}, "c-demo-x")
		if err != nil {
			t.Fatal(err)
		}
		if err := cluster.RegisterKinds(kept.Objects); err != nil {
			t.Fatal(err)
		}
		s := &storeroom{t: t, allowed: true, loop: newLoop(kept, nil)}
		s.prober.machine = s.open(clock)
		f(t, s)
	})
}

// open starts the storage and returns a machine that reaches it.
func (s *storeroom) open(clock network.Clock) machine.Machine {
	s.t.Helper()
	address := netip.MustParseAddr("203.0.113.20")
	zone := fabric.New(fabric.Config{Clock: clock, Allows: func(_, _ netip.Addr, _ string, _ int) bool { return !s.closed },
		Resolve: func(_ context.Context, name string) ([]netip.Addr, error) {
			if name == storageName {
				return []netip.Addr{address}, nil
			}
			return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
		}})
	s.t.Cleanup(zone.Close)
	storage, err := s3.New(s3.Config{DB: store.NewMemory(), Zone: registryZone, Credentials: s.credentials})
	if err != nil {
		s.t.Fatal(err)
	}
	authority, err := fabric.NewCA("lab")
	if err != nil {
		s.t.Fatal(err)
	}
	config, err := authority.NewServerTLS(storageName)
	if err != nil {
		s.t.Fatal(err)
	}
	host, err := zone.AddHost(address)
	if err != nil {
		s.t.Fatal(err)
	}
	listener, err := host.Listen(443)
	if err != nil {
		s.t.Fatal(err)
	}
	server := &http.Server{Handler: storage, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = server.Serve(tls.NewListener(listener, config)) }()
	s.t.Cleanup(func() { _ = server.Close() })
	master, err := zone.AddHost(netip.MustParseAddr("198.18.0.11"))
	if err != nil {
		s.t.Fatal(err)
	}
	m := trusting{host: master, roots: authority.Pool()}
	s.bucket = func() { s.makeBucket(m) }
	return m
}

func (s *storeroom) credentials(key string) (string, func(operation, bucket, object string) bool, bool) {
	return registrySecret, func(string, string, string) bool { return s.allowed }, key == registryKey
}

func (s *storeroom) makeBucket(m machine.Machine) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPut, "https://"+storageName+"/c-1-image-registry", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	registryStorage{region: registryZone, key: registryKey, secret: registrySecret}.sign(request, time.Now())
	transport := m.Network().NewTransport()
	transport.DisableKeepAlives = true
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil || response.StatusCode != http.StatusOK {
		s.t.Fatalf("make the bucket: %v, %v", response, err)
	}
	_ = response.Body.Close()
}

func (s *storeroom) put(resource, namespace string, object kube.Object) {
	s.t.Helper()
	if _, err := s.Objects.Create(resource, namespace, object); err != nil {
		s.t.Fatal(err)
	}
}

// configure makes the registry use the bucket, with a key.
func (s *storeroom) configure(region, secret string) {
	config := kube.NewNamed("cluster")
	config.Set("spec", kube.Object{"managementState": "Managed", "storage": kube.Object{"s3": kube.Object{
		"bucket": "c-1-image-registry", "region": region, "regionEndpoint": "https://" + storageName}}})
	s.put(registryResource, "", config)
	encode := base64.StdEncoding.EncodeToString
	key := kube.NewNamed("image-registry-private-configuration-user")
	key.Set("data", kube.Object{"REGISTRY_STORAGE_S3_ACCESSKEY": encode([]byte(registryKey)), "REGISTRY_STORAGE_S3_SECRETKEY": encode([]byte(secret))})
	s.put(cluster.SecretResource, registryNamespace, key)
}

func (s *storeroom) missing() string {
	s.prober.checkRegistry(s.t.Context())
	return requireRegistry(s.loop, clusterSnapshot{bootstrapped: true, probes: s.prober.get()})
}

func TestRegistry_NeedsBucketAccess(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func(*storeroom)
		want    string
	}{
		"as it should be": {func(s *storeroom) {
			s.bucket()
			s.configure(registryZone, registrySecret)
		}, ""},
		"no bucket":        {func(s *storeroom) { s.configure(registryZone, registrySecret) }, "404"},
		"another secret":   {func(s *storeroom) { s.bucket(); s.configure(registryZone, "wrong") }, "403"},
		"another region":   {func(s *storeroom) { s.bucket(); s.configure("de-fra-1", registrySecret) }, "400"},
		"a key of no use":  {func(s *storeroom) { s.bucket(); s.configure(registryZone, registrySecret); s.allowed = false }, "403"},
		"nobody gets out":  {func(s *storeroom) { s.bucket(); s.configure(registryZone, registrySecret); s.closed = true }, "unable to sync"},
		"no configuration": {func(*storeroom) {}, "no configuration"},
		"no storage": {func(s *storeroom) {
			s.put(registryResource, "", kube.Object{"metadata": kube.Object{"name": "cluster"}, "spec": kube.Object{"managementState": "Managed"}})
		}, "not configured"},
		"removed": {func(s *storeroom) {
			s.put(registryResource, "", kube.Object{"metadata": kube.Object{"name": "cluster"}, "spec": kube.Object{"managementState": "Removed"}})
		}, ""},
		"no secret": {func(s *storeroom) {
			s.configure(registryZone, registrySecret)
			if _, err := s.Objects.Delete(cluster.SecretResource, registryNamespace, "image-registry-private-configuration-user"); err != nil {
				s.t.Fatal(err)
			}
		}, "not found"},
	} {
		t.Run(name, func(t *testing.T) {
			inStoreroom(t, func(t *testing.T, s *storeroom) {
				test.prepare(s)
				if got := s.missing(); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
					t.Errorf("missing: %q, want %q", got, test.want)
				}
			})
		})
	}
}

func TestSyncSamples_RemovedWithoutRegistry(t *testing.T) {
	for registry, want := range map[string]string{"Managed": "Managed", "Removed": "Removed"} {
		inStoreroom(t, func(t *testing.T, s *storeroom) {
			config := kube.NewNamed("cluster")
			config.Set("spec.managementState", registry)
			s.put(registryResource, "", config)
			for range 2 {
				if err := (registryOperator{s.loop}).syncSamples(t.Context(), clusterSnapshot{bootstrapped: true}); err != nil {
					t.Fatal(err)
				}
				_ = s.Clock.Sleep(t.Context(), settleTime)
			}
			found, _ := s.Objects.Get(samplesResource, "", "cluster")
			if got := found.GetString("spec.managementState"); got != want {
				t.Errorf("beside a registry that is %s: %q", registry, got)
			}
		})
	}
}
