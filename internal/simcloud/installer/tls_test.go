package installer

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func lifetime(t *testing.T, certificate []byte) time.Duration {
	t.Helper()
	block, _ := pem.Decode(certificate)
	if block == nil {
		t.Fatalf("no certificate: %q", certificate)
	}
	parsed, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.NotAfter.Sub(parsed.NotBefore)
}

func TestCertificates_Lifetimes(t *testing.T) {
	dir := directoryWith(t, minimalConfig)
	mustRun(t, dir, "create", "ignition-configs")
	lifetimes := map[time.Duration][]string{}
	files := disk(t, read(t, dir, "bootstrap.ign"))
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if name, ok := strings.CutPrefix(path, "/opt/openshift/tls/"); ok && strings.HasSuffix(name, ".crt") && !strings.HasSuffix(name, "bundle.crt") {
			running := lifetime(t, files[path])
			lifetimes[running] = append(lifetimes[running], strings.TrimSuffix(name, ".crt"))
		}
	}
	want := map[time.Duration][]string{
		24 * time.Hour: {
			"aggregator-ca", "aggregator-signer", "apiserver-proxy", "kube-apiserver-internal-lb-server", "kube-apiserver-lb-server",
			"kube-apiserver-localhost-server", "kube-apiserver-service-network-server", "kubelet-signer",
		},
		365 * 24 * time.Hour: {
			"kube-apiserver-to-kubelet-client", "kube-apiserver-to-kubelet-signer", "kube-control-plane-kube-controller-manager-client",
			"kube-control-plane-kube-scheduler-client", "kube-control-plane-signer",
		},
		10 * 365 * 24 * time.Hour: {
			"admin-kubeconfig-client", "admin-kubeconfig-signer", "etcd-signer", "journal-gatewayd", "kube-apiserver-lb-signer",
			"kube-apiserver-localhost-signer", "kube-apiserver-service-network-signer", "kubelet-bootstrap-kubeconfig-signer",
			"kubelet-client", "machine-config-server", "root-ca",
		},
	}
	if diff := cmp.Diff(want, lifetimes); diff != "" {
		t.Errorf("lifetimes (-want +got):\n%s", diff)
	}
}

func TestState_HasCertificates(t *testing.T) {
	dir := directoryWith(t, minimalConfig)
	mustRun(t, dir, "create", "manifests")
	var kept map[string]struct{ CertRaw, KeyRaw []byte }
	content := map[string]json.RawMessage{}
	if err := json.Unmarshal(read(t, dir, stateFile), &content); err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(content, func(name string, _ json.RawMessage) bool { return !strings.HasPrefix(name, "*tls.") })
	encoded, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(encoded, &kept); err != nil {
		t.Fatal(err)
	}
	if len(kept) != 23 || lifetime(t, kept["*tls.KubeletCSRSignerCertKey"].CertRaw) != 24*time.Hour {
		t.Errorf("%d certificates: %v", len(kept), slices.Sorted(maps.Keys(kept)))
	}
}
