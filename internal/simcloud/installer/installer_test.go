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

// run runs the program on dir and returns its exit code and its output on stdout and stderr.
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

func TestManifests_ConsumeInstallConfig(t *testing.T) {
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

func TestPointers_MachineConfigServerAndCA(t *testing.T) {
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

func TestBootstrap_ServesTrustedCertificate(t *testing.T) {
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

func TestIgnitionConfigs_KeepOldCertificates(t *testing.T) {
	dir := directoryWith(t, minimalConfig)
	mustRun(t, dir, "create", "ignition-configs")
	first := read(t, dir, "bootstrap.ign")
	mustRun(t, dir, "create", "ignition-configs")
	if !bytes.Equal(first, read(t, dir, "bootstrap.ign")) {
		t.Error("the second run made another bootstrap.ign")
	}
}

func TestMetadata_NamesCluster(t *testing.T) {
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

func TestVersion_NamesReleaseAndProgram(t *testing.T) {
	for _, release := range []struct{ version, architecture, image string }{
		{"4.20.5", "amd64", "quay.io/openshift-release-dev/ocp-release@sha256:"},
		{"4.18.24", "arm64", "quay.io/openshift-release-dev/ocp-release@sha256:"},
		{"4.20.0-okd-scos.11", "amd64", "quay.io/okd/scos-release@sha256:"},
	} {
		code, stdout, _ := run(t, t.TempDir(), "--release", release.version, "--architecture", release.architecture, "--program", "/a b/c", "version")
		lines := strings.Split(stdout, "\n")
		if code != 0 || len(lines) != 5 || lines[0] != "/a b/c "+release.version || !strings.HasPrefix(lines[1], "built from commit ") ||
			!strings.HasPrefix(lines[2], "release image "+release.image) || lines[3] != "release architecture "+release.architecture {
			t.Errorf("exit code %d, version says %q", code, stdout)
		}
	}
}

func TestNow_SetsCertificateStart(t *testing.T) {
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

func TestCommand_RefusesUnknown(t *testing.T) {
	if code, _, stderr := run(t, t.TempDir(), "destroy", "cluster"); code != 1 || !strings.Contains(stderr, "unknown command") {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
}

func TestStream_NamesMirrorImage(t *testing.T) {
	for version, name := range map[string]string{
		"4.20.5": "rhcos-4.20", "4.18.24": "rhcos-4.18", "4.19.0-okd-scos.3": "c9s", "4.21.0-okd-scos.0": "c10s",
	} {
		var described stream.Stream
		if err := json.Unmarshal([]byte(mustRun(t, t.TempDir(), "--release", version, "coreos", "print-stream-json")), &described); err != nil {
			t.Fatal(err)
		}
		artifact := described.Architectures["x86_64"].Artifacts["openstack"]
		disk := artifact.Formats["qcow2.gz"].Disk
		build, _, checksum := mirror.BuildImage(version)
		if disk == nil || disk.Location != mirror.ImageURL(version) || disk.Sha256 != checksum || artifact.Release != build || described.Stream != name {
			t.Errorf("%s: the stream %s says %+v", version, described.Stream, disk)
		}
	}
}
