package openshift

import (
	"strings"
	"testing"
	"time"
)

const machineConfigManifest = `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: 50-worker-hello, labels: {machineconfiguration.openshift.io/role: worker}}
spec:
  config:
    ignition: {version: 3.5.0}
    storage: {files: [{path: /etc/hello, contents: {source: "data:,hi"}}]}
    systemd: {units: [{name: hello.service, enabled: true, contents: "[Unit]\nDescription=Hello"}]}
`

const poolPath = "/apis/machineconfiguration.openshift.io/v1/machineconfigpools/"

// configured is a plan with one more machine configuration for the role.
func configured(role string, change ...string) plan {
	content := strings.NewReplacer(append([]string{"worker", role}, change...)...).Replace(machineConfigManifest)
	return plan{manifests: func(*lab) map[string]string {
		return map[string]string{"openshift/99x_openshift-machineconfig_hello.yml": content}
	}}
}

func TestMachineConfig_ByRole(t *testing.T) {
	inLabOf(t, configured("master"), func(t *testing.T, l *lab) {
		l.bootCluster(1, 0)
		l.until(30*time.Minute, "a node", func() bool { return l.ready() == 1 })
		if got := l.onDisk("master-0", "/etc/hello"); got != "hi" {
			t.Errorf("the file holds %q", got)
		}
		if got := l.onDisk("master-0", "/etc/systemd/system/hello.service"); !strings.Contains(got, "Hello") {
			t.Errorf("the unit holds %q", got)
		}
		pool := l.get(poolPath + "master")
		var sources []string
		for _, source := range pool.List("status.configuration.source") {
			sources = append(sources, source.GetString("name"))
		}
		if got := strings.Join(sources, " "); got != "50-master-hello 99-master-ssh" {
			t.Errorf("the pool has %q", got)
		}
		if rendered := l.get("/apis/machineconfiguration.openshift.io/v1/machineconfigs/" + pool.GetString("status.configuration.name")); rendered == nil {
			t.Errorf("there is no %q", pool.GetString("status.configuration.name"))
		}
	})
}

func TestMachineConfig_WorkersOnly(t *testing.T) {
	long(t)
	inLabOf(t, configured("worker"), func(t *testing.T, l *lab) {
		l.install(func() {})
		if l.onDisk("master-0", "/etc/hello") != "" || l.onDisk("infra-0", "/etc/hello") != "hi" {
			t.Error("the file is on the wrong machines")
		}
	})
}

func TestMachineConfig_InvalidBlocksMachines(t *testing.T) {
	for name, c := range map[string]struct {
		plan plan
		says string
	}{
		"a version of the specification that nobody knows": {configured("master", "3.5.0", "3.9.0"),
			`machine-config-controller bootstrap: machineconfig 50-master-hello: parsing Ignition config failed`},
		"a path that is none": {configured("master", "/etc/hello", "etc/hello"), "path not absolute"},
		"a file of other bytes": {configured("master", `source: "data:,hi"`, `source: "data:,hi", verification: {hash: sha256-`+strings.Repeat("0", 64)+`}`),
			"hash verification failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inLabOf(t, c.plan, func(t *testing.T, l *lab) {
				l.bootCluster(1, 0)
				_ = l.clock.Sleep(l.ctx, 20*time.Minute)
				if text := l.consoles(); strings.Contains(text, "registered node") || !strings.Contains(text, c.says) {
					t.Errorf("the consoles lack %q, or a node registered:\n%s", c.says, text)
				}
			})
		})
	}
}
