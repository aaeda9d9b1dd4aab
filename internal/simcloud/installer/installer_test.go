package installer

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coreos/ignition/v2/config/v3_2"
	"github.com/coreos/stream-metadata-go/stream"
	"k8s.io/client-go/tools/clientcmd"

	"exoshift/internal/simcloud/mirror"
)

const minimalConfig = `apiVersion: v1
baseDomain: example.com
metadata:
  name: c-demo
platform:
  none: {}
pullSecret: '{"auths":{"fake":{"auth":"aWQ6cGFzcwo="}}}'
sshKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDvbUiFJ0n6Ebk4tOUXpFCYgF7QGU3rvpTe/BFuv6HyF demo
`

// run runs the program on dir and returns its exit code and what it said on stdout and stderr.
func run(t *testing.T, dir string, args ...string) (int, string, string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := Main(append([]string{"--release", "4.20.5"}, append(args, "--dir", dir)...), time.Now(), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func directoryWith(t *testing.T, config string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "install-config.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func mustRun(t *testing.T, dir string, args ...string) string {
	t.Helper()
	code, stdout, stderr := run(t, dir, args...)
	if code != 0 {
		t.Fatalf("%v: exit code %d\n%s", args, code, stderr)
	}
	return stdout
}

func TestManifestsConsumeTheInstallConfig(t *testing.T) {
	dir := directoryWith(t, minimalConfig)
	code, stdout, stderr := run(t, dir, "create", "manifests")
	if code != 0 || stdout != "" || !strings.Contains(stderr, "level=info msg=Consuming Install Config from target directory\n") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "install-config.yaml")); !os.IsNotExist(err) {
		t.Errorf("install-config.yaml is still there: %v", err)
	}
	for _, name := range []string{"manifests/cluster-config.yaml", "openshift/99_openshift-machineconfig_99-worker-ssh.yaml", ".openshift_install_state.json"} {
		read(t, dir, name)
	}
	if strings.Contains(string(read(t, dir, "manifests/cluster-config.yaml")), "aWQ6cGFzcwo") {
		t.Error("the pull secret is in cluster-config.yaml")
	}
	if !strings.Contains(string(read(t, dir, ".openshift_install.log")), `level=info msg="Consuming Install Config`) {
		t.Error("the log file lacks the entry")
	}
}

func TestPointersNameTheMachineConfigServerAndItsAuthority(t *testing.T) {
	dir := directoryWith(t, minimalConfig)
	mustRun(t, dir, "create", "ignition-configs")
	for _, role := range []string{"master", "worker"} {
		document, report, err := v3_2.Parse(read(t, dir, role+".ign"))
		if err != nil || report.IsFatal() {
			t.Fatal(err, report)
		}
		if got := *document.Ignition.Config.Merge[0].Source; got != "https://api-int.c-demo.example.com:22623/config/"+role {
			t.Errorf("source %q", got)
		}
		authority := *document.Ignition.Security.TLS.CertificateAuthorities[0].Source
		pem, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(authority, "data:text/plain;charset=utf-8;base64,"))
		if err != nil || !bytes.HasPrefix(pem, []byte("-----BEGIN CERTIFICATE")) {
			t.Errorf("authority %q: %v", authority, err)
		}
		if document.Ignition.Version != "3.2.0" {
			t.Errorf("version %q", document.Ignition.Version)
		}
	}
}

// disk returns the files of an Ignition document.
func disk(t *testing.T, content []byte) map[string][]byte {
	t.Helper()
	document, report, err := v3_2.Parse(content)
	if err != nil || report.IsFatal() {
		t.Fatal(err, report)
	}
	files := map[string][]byte{}
	for _, file := range document.Storage.Files {
		_, encoded, _ := strings.Cut(*file.Contents.Source, "base64,")
		if files[file.Path], err = base64.StdEncoding.DecodeString(encoded); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func TestBootstrapServesWhatTheKubeconfigTrusts(t *testing.T) {
	dir := directoryWith(t, minimalConfig)
	mustRun(t, dir, "create", "ignition-configs")
	files := disk(t, read(t, dir, "bootstrap.ign"))
	config, err := clientcmd.RESTConfigFromKubeConfig(read(t, dir, "auth/kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	if config.Host != "https://api.c-demo.example.com:6443" {
		t.Errorf("server %q", config.Host)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(config.CAData)
	for host, pair := range map[string]string{"api.c-demo.example.com": "kube-apiserver-lb-server", "api-int.c-demo.example.com": "kube-apiserver-internal-lb-server"} {
		serving, err := tls.X509KeyPair(files["/opt/openshift/tls/"+pair+".crt"], files["/opt/openshift/tls/"+pair+".key"])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := serving.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: host}); err != nil {
			t.Errorf("%s: %v", host, err)
		}
		if left := time.Until(serving.Leaf.NotAfter); left > 24*time.Hour || left < 23*time.Hour {
			t.Errorf("%s is valid for %s, not a day", host, left)
		}
	}
	if got := string(files["/opt/openshift/install-config.yaml"]); got != minimalConfig {
		t.Errorf("install-config on the bootstrap host: %q", got)
	}
}

func TestManifestsThatWereAddedReachTheBootstrapHost(t *testing.T) {
	dir := directoryWith(t, minimalConfig)
	mustRun(t, dir, "create", "manifests")
	if err := os.WriteFile(filepath.Join(dir, "manifests", "my-own.yaml"), []byte("kind: ConfigMap"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustRun(t, dir, "create", "ignition-configs")
	if got := disk(t, read(t, dir, "bootstrap.ign"))["/opt/openshift/manifests/my-own.yaml"]; string(got) != "kind: ConfigMap" {
		t.Errorf("the manifest on the bootstrap host: %q", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "manifests")); !os.IsNotExist(err) {
		t.Errorf("manifests/ is still there: %v", err)
	}
}

func TestASecondRunKeepsTheOldCertificates(t *testing.T) {
	dir := directoryWith(t, minimalConfig)
	mustRun(t, dir, "create", "ignition-configs")
	first := read(t, dir, "bootstrap.ign")
	mustRun(t, dir, "create", "ignition-configs")
	if !bytes.Equal(first, read(t, dir, "bootstrap.ign")) {
		t.Error("the second run made another bootstrap.ign")
	}
}

func TestMetadataNamesTheCluster(t *testing.T) {
	dir := directoryWith(t, strings.Replace(minimalConfig, "c-demo", "c-demo-with-a-name-too-long", 1))
	mustRun(t, dir, "create", "ignition-configs")
	var about struct{ ClusterName, ClusterID, InfraID string }
	if err := json.Unmarshal(read(t, dir, "metadata.json"), &about); err != nil {
		t.Fatal(err)
	}
	if about.ClusterName != "c-demo-with-a-name-too-long" || len(about.InfraID) > 27 || !strings.HasPrefix(about.InfraID, "c-demo-with-a-name-") {
		t.Errorf("metadata %+v", about)
	}
	if got := read(t, dir, "auth/kubeadmin-password"); len(got) != 23 {
		t.Errorf("the password has %d characters", len(got))
	}
}

func TestABadInstallConfigExitsWith3(t *testing.T) {
	for fault, config := range map[string]string{
		"apiVersion":        strings.Replace(minimalConfig, "apiVersion: v1", "apiVersion: v2", 1),
		"metadata.name":     strings.Replace(minimalConfig, "c-demo", "C_Demo", 1),
		"platform":          strings.Replace(minimalConfig, "none:", "aws:", 1),
		"pullSecret":        strings.Replace(minimalConfig, "auths", "nothing", 1),
		"sshKey":            strings.Replace(minimalConfig, "ssh-ed25519", "ssh-nonsense", 1),
		"must not overlap":  minimalConfig + "networking:\n  serviceNetwork: [10.0.0.0/16]\n",
		"invalid network":   minimalConfig + "networking:\n  serviceNetwork: [10.1.2.3/16]\n",
		"controlPlane":      minimalConfig + "controlPlane:\n  name: master\n  replicas: 2\n",
		"failed to unmarsh": ":",
	} {
		code, _, stderr := run(t, directoryWith(t, config), "create", "manifests")
		if code != 3 || !strings.Contains(stderr, fault) || !strings.Contains(stderr, "failed to create install config") {
			t.Errorf("%s: exit code %d, stderr %q", fault, code, stderr)
		}
	}
	if code, _, _ := run(t, t.TempDir(), "create", "manifests"); code != 3 {
		t.Errorf("without an install-config: exit code %d", code)
	}
}

func TestVersionNamesTheRelease(t *testing.T) {
	stdout := mustRun(t, t.TempDir(), "version")
	if !strings.HasPrefix(stdout, "openshift-install 4.20.5\nbuilt from commit ") || !strings.Contains(stdout, "release architecture amd64\n") {
		t.Errorf("version says %q", stdout)
	}
}

func TestNowDecidesWhenCertificatesBegin(t *testing.T) {
	dir := directoryWith(t, minimalConfig)
	mustRun(t, dir, "--now", "2001-02-03T04:05:06Z", "create", "ignition-configs")
	files := disk(t, read(t, dir, "bootstrap.ign"))
	pair, err := tls.X509KeyPair(files["/opt/openshift/tls/root-ca.crt"], files["/opt/openshift/tls/root-ca.key"])
	if err != nil {
		t.Fatal(err)
	}
	if got := pair.Leaf.NotBefore; got.Year() != 2001 || pair.Leaf.NotAfter.Year() != 2011 {
		t.Errorf("root-ca is valid from %s to %s", got, pair.Leaf.NotAfter)
	}
}

func TestAnUnknownCommandFails(t *testing.T) {
	if code, _, stderr := run(t, t.TempDir(), "destroy", "cluster"); code != 1 || !strings.Contains(stderr, "unknown command") {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
}

func TestTheStreamNamesTheMirrorsImage(t *testing.T) {
	var described stream.Stream
	if err := json.Unmarshal([]byte(mustRun(t, t.TempDir(), "coreos", "print-stream-json")), &described); err != nil {
		t.Fatal(err)
	}
	disk := described.Architectures["x86_64"].Artifacts["openstack"].Formats["qcow2.gz"].Disk
	_, image, checksum := mirror.Image("4.20.5")
	if disk == nil || disk.Location != mirror.ImageURL("4.20.5") || disk.Sha256 != checksum || len(image) == 0 {
		t.Errorf("the stream says %+v", disk)
	}
}
