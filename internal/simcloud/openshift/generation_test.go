package openshift

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/cluster"
)

// renew generates certificates and Ignition documents again in the same directory.
func (l *lab) renew() {
	l.t.Helper()
	for _, name := range []string{".openshift_install_state.json", "metadata.json"} {
		if err := os.Remove(filepath.Join(l.dir, name)); err != nil {
			l.t.Fatal(err)
		}
	}
	l.generate()
	l.connect()
}

func TestGeneration_InvalidCertificatesStopBootstrap(t *testing.T) {
	for name, c := range map[string]struct {
		age  time.Duration
		says []string
	}{
		"a day old": {25 * time.Hour, []string{
			"bootkube.service: manifests: https://localhost:6443: tls: failed to verify certificate: x509: certificate has expired",
			"kubelet: cannot create a certificate signing request: Post \"https://api-int.c-demo.example.net:6443/apis/certificates.k8s.io/v1/certificatesigningrequests\": " +
				"tls: failed to verify certificate: x509: certificate has expired",
		}},
		"of tomorrow": {-24 * time.Hour, []string{"ignition: GET https://api-int.c-demo.example.net:22623/config/master: attempt #1: Get " +
			"\"https://api-int.c-demo.example.net:22623/config/master\": tls: failed to verify certificate: x509: certificate has expired or is not yet valid"}},
	} {
		t.Run(name, func(t *testing.T) {
			inLabOf(t, plan{age: c.age}, func(t *testing.T, l *lab) {
				l.boot("bootstrap", "198.18.0.10", l.file("bootstrap.ign"))
				_ = l.clock.Sleep(l.ctx, 5*time.Minute) // the machine config server runs and refuses nothing
				l.boot("master-0", "198.18.0.11", l.node("master", "master-0"))
				_ = l.clock.Sleep(l.ctx, 20*time.Minute)
				if _, err := l.api.Get(l.ctx, "/version"); err == nil || !strings.Contains(err.Error(), "certificate has expired or is not yet valid") {
					t.Errorf("the API answers %v", err)
				}
				if nodes := l.world.clusters[l.infraID()].Objects.List(cluster.NodeResource, ""); len(nodes) > 0 {
					t.Errorf("%d nodes registered", len(nodes))
				}
				for _, want := range c.says {
					if text := l.everything(); !strings.Contains(text, want) {
						t.Errorf("nobody says %q:\n%s", want, text)
					}
				}
			})
		})
	}
}

func TestGeneration_HalfDayOldIsValid(t *testing.T) {
	inLabOf(t, plan{age: 12 * time.Hour}, func(_ *testing.T, l *lab) {
		l.bootCluster(1, 0)
		l.until(30*time.Minute, "a node", func() bool { return l.ready() == 1 })
	})
}

func TestGeneration_MastersWithOtherPointer(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		pointer := l.node("master", "master-0")
		l.renew()
		l.boot("bootstrap", "198.18.0.10", l.file("bootstrap.ign"))
		l.boot("master-0", "198.18.0.11", pointer)
		l.until(30*time.Minute, "temporary API", func() bool { return l.get("/version") != nil })
		_ = l.clock.Sleep(l.ctx, 10*time.Minute)
		if nodes := l.get(apiclient.NodesPath).List("items"); len(nodes) > 0 {
			t.Errorf("%d nodes registered", len(nodes))
		}
		if text := l.everything(); !strings.Contains(text, "x509: certificate signed by unknown authority") || strings.Contains(text, "Pool master requested") {
			t.Error(text)
		}
	})
}

func TestGeneration_OtherBootImageStream(t *testing.T) {
	for name, c := range map[string]struct {
		release, build string
		stops          bool
		says           string
	}{
		"another build of the stream": {"4.20.5", "9.6.20250402-0", false, ""},
		"of 4.18 for 4.20":            {"4.20.5", "418.94.202501221327-0", true, "node-image-pull: node-image-pull.service: Main process exited"},
		"of 4.20 for 4.18":            {"4.18.24", "9.6.20251212-1", true, "Failed to locate executable /usr/bin/kubelet"},
		"of OKD for OpenShift":        {"4.20.5", "10.0.20251103-0", true, "is of another stream than 9.6.20251212-1 of OpenShift 4.20.5"},
	} {
		t.Run(name, func(t *testing.T) {
			inLabOf(t, plan{release: c.release, build: c.build}, func(t *testing.T, l *lab) {
				l.boot("bootstrap", "198.18.0.10", l.file("bootstrap.ign"))
				_ = l.clock.Sleep(l.ctx, 15*time.Minute)
				if stopped := l.get("/version") == nil; stopped != c.stops || !strings.Contains(l.consoles(), c.says) {
					t.Errorf("stopped: %t\n%s", stopped, l.consoles())
				}
			})
		})
	}
}

func TestAppsDomain_Custom(t *testing.T) {
	long(t)
	elsewhere := plan{edit: map[string]func(string) string{"manifests/cluster-ingress-02-config.yml": func(manifest string) string {
		return strings.ReplaceAll(manifest, "apps."+domain, "applications.example.org")
	}}}
	inLabOf(t, elsewhere, func(t *testing.T, l *lab) {
		l.bootCluster(3, 2)
		l.until(60*time.Minute, "workers", func() bool {
			if l.etcdIs("EtcdBootstrapMemberRemoved") {
				l.approve()
			}
			return l.ready() == 5
		})
		_ = l.clock.Sleep(l.ctx, 15*time.Minute)
		console := l.get("/apis/config.openshift.io/v1/clusteroperators/console").Condition("Available")
		if l.installed() || !strings.Contains(console.GetString("message"), "lookup console-openshift-console.applications.example.org") {
			t.Errorf("the console: %v", console)
		}
		l.mu.Lock()
		l.names["console-openshift-console.applications.example.org"] = balancer
		l.mu.Unlock()
		_ = l.clock.Sleep(l.ctx, 10*time.Minute)
		login := l.get("/apis/config.openshift.io/v1/clusteroperators/authentication").Condition("Available")
		if l.installed() || !strings.Contains(login.GetString("message"), "lookup oauth-openshift.applications.example.org") {
			t.Errorf("the login: %v", login)
		}
		l.mu.Lock()
		l.names[".applications.example.org"] = balancer
		l.mu.Unlock()
		l.until(20*time.Minute, "cluster version", l.installed)
		if got := l.get("/apis/route.openshift.io/v1/namespaces/openshift-console/routes/console").GetString("spec.host"); got != "console-openshift-console.applications.example.org" {
			t.Errorf("the console is at %s", got)
		}
	})
}
