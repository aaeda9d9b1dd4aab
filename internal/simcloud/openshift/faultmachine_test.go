package openshift

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/operators"
	"exoshift/internal/simcloud/scenario"
)

// refusal returns the error of the API for a client that trusts the installer's files.
func (l *lab) refusal() string {
	if _, err := l.api.Get(l.ctx, "/readyz"); err != nil {
		return err.Error()
	}
	return ""
}

func TestFault_UntrustedAPICertificates(t *testing.T) {
	long(t)
	for want, faults := range map[string]scenario.Cluster{
		"certificate has expired":                 {ExpiredCertificates: true},
		"certificate signed by unknown authority": {ForeignAuthority: true},
	} {
		t.Run(want, func(t *testing.T) {
			inLabWithFaults(t, faults, func(t *testing.T, l *lab) {
				l.bootCluster(3, 0)
				l.until(20*time.Minute, "an API server", func() bool { return strings.Contains(l.refusal(), want) })
				_ = l.clock.Sleep(l.ctx, 15*time.Minute)
				if got := l.refusal(); !strings.Contains(got, want) {
					t.Errorf("the API: %q", got)
				}
			})
		})
	}
}

func TestFault_MissingWorkerConfiguration(t *testing.T) {
	long(t)
	inLabWithFaults(t, scenario.Cluster{WorkersUnserved: true}, func(t *testing.T, l *lab) {
		l.complete(3, 2)
		_ = l.clock.Sleep(l.ctx, 15*time.Minute)
		if requests, ready := l.approve(), l.ready(); requests > 0 || ready != 3 {
			t.Errorf("%d requests are pending, %d nodes are ready", requests, ready)
		}
		if text := l.everything(); !strings.Contains(text, "couldn't get config for pool worker: could not fetch config rendered-worker-") ||
			!strings.Contains(text, "Internal Server Error") {
			t.Error(text)
		}
	})
}

// pending returns the decoded pending requests.
func (l *lab) pending() []*x509.CertificateRequest {
	var asked []*x509.CertificateRequest
	for _, request := range l.get(apiclient.CSRPath).List("items") {
		decoded, _ := base64.StdEncoding.DecodeString(request.GetString("spec.request"))
		block, _ := pem.Decode(decoded)
		if len(request.List("status.conditions")) > 0 || block == nil {
			continue
		}
		parsed, err := x509.ParseCertificateRequest(block.Bytes)
		if err != nil {
			l.t.Fatal(err)
		}
		asked = append(asked, parsed)
	}
	return asked
}

func TestFault_NodesRequestAdmin(t *testing.T) {
	long(t)
	inLabWithFaults(t, scenario.Cluster{GreedyRequests: true}, func(t *testing.T, l *lab) {
		l.complete(3, 2)
		l.until(20*time.Minute, "requests of the workers", func() bool { return len(l.pending()) == 2 })
		for _, asked := range l.pending() {
			if !slices.Contains(asked.Subject.Organization, "system:masters") || !strings.HasPrefix(asked.Subject.CommonName, "system:node:infra-") {
				t.Errorf("asked for %v", asked.Subject)
			}
		}
		l.until(20*time.Minute, "requests for other keys", func() bool { return len(l.pending()) == 4 })
		keys := map[string]bool{}
		for _, asked := range l.pending() {
			keys[string(asked.RawSubjectPublicKeyInfo)] = true
		}
		if len(keys) != 4 {
			t.Errorf("4 requests for %d keys", len(keys))
		}
	})
}

func TestFault_NodesNamedLocalhost(t *testing.T) {
	long(t)
	inLabWithFaults(t, scenario.Cluster{BlankHostnames: true}, func(t *testing.T, l *lab) {
		l.complete(3, 2)
		l.until(30*time.Minute, "requests of the workers", func() bool { return len(l.pending()) == 2 })
		for _, asked := range l.pending() {
			if asked.Subject.CommonName != "system:node:localhost.localdomain" {
				t.Errorf("asked as %s", asked.Subject.CommonName)
			}
		}
		if l.ready() != 3 || l.get(apiclient.NodesPath+"/master-2") == nil {
			t.Error("the masters lost their names, too")
		}
	})
}

func TestFault_OtherInterfaceAddress(t *testing.T) {
	long(t)
	inLabWithFaults(t, scenario.Cluster{SecondInterface: true}, func(t *testing.T, l *lab) {
		l.bootCluster(3, 0)
		// The masters come up within seconds of each other: another one may have been added before it, or none.
		const want = " members are available, NAME-PENDING-10.100.0.12 has not started"
		l.until(40*time.Minute, "a member that cannot start", func() bool { return strings.HasSuffix(l.etcdMessage(), want) })
		stuck := l.etcdMessage()
		_ = l.clock.Sleep(l.ctx, 20*time.Minute)
		if got := l.etcdMessage(); got != stuck || !strings.HasPrefix(got, "2 of 3") && !strings.HasPrefix(got, "1 of 2") {
			t.Errorf("etcd: %q", got)
		}
		if got := operators.GetInternalAddress(l.get(apiclient.NodesPath + "/master-1")); got != "10.100.0.12" {
			t.Errorf("the node's address: %s", got)
		}
	})
}

func TestFault_UnknownConfigurationDegradesPool(t *testing.T) {
	long(t)
	inLabWithFaults(t, scenario.Cluster{MixedConfigs: true}, func(t *testing.T, l *lab) {
		l.complete(3, 0)
		pool := l.get("/apis/machineconfiguration.openshift.io/v1/machineconfigpools/master")
		report := pool.Condition("NodeDegraded").GetString("message")
		if pool.Condition("Degraded").GetString("status") != "True" || !strings.Contains(report, `Node master-2 is reporting: "machineconfig.machineconfiguration.openshift.io \"rendered-master-`) {
			t.Errorf("pool: %v", pool.Get("status.conditions"))
		}
		l.until(10*time.Minute, "a degraded operator", func() bool { return l.operator("machine-config", "Degraded").GetString("status") == "True" })
		if got := l.operator("machine-config", "Degraded").GetString("message"); !strings.Contains(got, "(total: 3, ready 0, updated: 0, unavailable: 3, degraded: 3)") {
			t.Errorf("operator: %s", got)
		}
	})
}

func TestFault_RoutersMovedOnce(t *testing.T) {
	long(t)
	inLabWithFaults(t, scenario.Cluster{RoutersOnMasters: true}, func(t *testing.T, l *lab) {
		l.complete(3, 1)
		scheduler := func() kube.Object { return l.get("/apis/config.openshift.io/v1/schedulers/cluster") }
		l.until(30*time.Minute, "routers where they belong", func() bool {
			l.approve()
			return l.routers() == "infra-0"
		})
		l.place("TCP", "kubernetes.io/hostname") // resolved to another address
		l.until(5*time.Minute, "a router on a master", func() bool { return l.routers() == "master-0" })
		if scheduler().Get("spec.mastersSchedulable") != true {
			t.Errorf("scheduler: %v", scheduler())
		}
		back := kube.Object{"matchLabels": kube.Object{cluster.MasterTaint: nil, "kubernetes.io/hostname": "infra-0"}}
		if _, err := l.api.Do(l.ctx, "PATCH", ingressPath, kube.Object{"spec": kube.Object{"nodePlacement": kube.Object{"nodeSelector": back}}}); err != nil {
			t.Fatal(err)
		}
		l.until(5*time.Minute, "a router on the infra node", func() bool { return l.routers() == "infra-0" })
	})
}
