package installer

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func place(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestIgnitionConfigs_IncludeEditedManifests(t *testing.T) {
	dir := directoryWith(t, minimalConfig)
	mustRun(t, dir, "create", "manifests")
	added := map[string]string{
		"manifests/my-own.yaml": "kind: ConfigMap", "openshift/99-machine.yml": "kind: MachineConfig\n---\nkind: MachineConfig\n",
		"manifests/data.json": `{"kind":"Secret"}`, "manifests/cluster-scheduler-02-config.yml": "kind: Scheduler",
	}
	for name, content := range added {
		place(t, dir, name, content)
	}
	place(t, dir, "manifests/README.md", "not: [for the cluster")
	_, _, text := run(t, dir, "create", "ignition-configs")
	for _, want := range []string{"Consuming Common Manifests from target directory", "Consuming Openshift Manifests from target directory", "Ignition-Configs created in: " + dir} {
		if !strings.Contains(text, want) {
			t.Errorf("it did not say %q:\n%s", want, text)
		}
	}
	files := disk(t, read(t, dir, "bootstrap.ign"))
	for name, content := range added {
		if got := string(files["/opt/openshift/"+name]); got != content {
			t.Errorf("%s on the bootstrap host: %q", name, got)
		}
		if _, err := os.Stat(filepath.Join(dir, name)); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
	if _, ok := files["/opt/openshift/manifests/README.md"]; ok || string(read(t, dir, "manifests/README.md")) == "" {
		t.Error("what is no manifest was taken")
	}
}

func TestIgnitionConfigs_NameUnreadableManifest(t *testing.T) {
	for _, content := range []string{"kind: [", "a: 1\n---\nb: : c\n", "a: 1\na: 2\n"} {
		dir := directoryWith(t, minimalConfig)
		mustRun(t, dir, "create", "manifests")
		place(t, dir, "openshift/99-broken.yaml", content)
		code, _, text := run(t, dir, "create", "ignition-configs")
		if code != 1 || !strings.Contains(text, "openshift/99-broken.yaml") {
			t.Errorf("%q: exit code %d, %s", content, code, text)
		}
		if !strings.Contains(string(read(t, dir, ".openshift_install.log")), "openshift/99-broken.yaml") {
			t.Error("the log file does not tell")
		}
		if _, err := os.Stat(filepath.Join(dir, "bootstrap.ign")); !os.IsNotExist(err) {
			t.Errorf("bootstrap.ign was written: %v", err)
		}
	}
}

func TestIgnitionConfigs_KeepAuthorities(t *testing.T) {
	dir := directoryWith(t, minimalConfig)
	mustRun(t, dir, "--now", "2001-02-03T04:05:06Z", "create", "ignition-configs")
	before, infra := disk(t, read(t, dir, "bootstrap.ign")), read(t, dir, "metadata.json")
	place(t, dir, "install-config.yaml", strings.Replace(minimalConfig, "example.com", "example.net", 1))
	mustRun(t, dir, "create", "ignition-configs")
	after := disk(t, read(t, dir, "bootstrap.ign"))
	for name, same := range map[string]bool{"root-ca": true, "kubelet-signer": true, "apiserver-proxy": true, "kube-apiserver-lb-server": false, "machine-config-server": false} {
		path := "/opt/openshift/tls/" + name + ".crt"
		if bytes.Equal(before[path], after[path]) != same {
			t.Errorf("%s: same is %v", name, !same)
		}
	}
	if bytes.Equal(infra, read(t, dir, "metadata.json")) {
		t.Error("the infrastructure ID is the same")
	}
}
