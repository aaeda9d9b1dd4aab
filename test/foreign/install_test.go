package foreign

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const answers = `
apiVersion: exoshift/v1alpha1
kind: Cluster
cluster: {id: c-foreign, baseDomain: example.net}
exoscale: {zone: ch-gva-2}
openshift:
  version: 4.20.5
  pullSecret: {env: EXOSHIFT_PULL_SECRET}
  sshKey: ` + publicKey + "\n"

// A whole life: installed, found complete, looked at, destroyed. It takes about two minutes.
func TestExoshift_InstallsAndDestroys(t *testing.T) {
	if testing.Short() {
		t.Skip("a whole installation takes minutes")
	}
	t.Parallel()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "answers.yaml"), []byte(answers), 0o600))
	exoshift := func(args ...string) string {
		t.Helper()
		return say(t, opened.program, append(args, "--dir", filepath.Join(dir, "cluster"), "--output", "plain")...)
	}
	install := []string{"install", "--yes", "--answers", filepath.Join(dir, "answers.yaml")}
	began := time.Now()
	if said := exoshift(install...); !strings.Contains(said, "13 of 13 ready") {
		t.Errorf("installed: %s", said)
	}
	wantByTheZonesClock(t, filepath.Join(dir, "cluster/events.jsonl"), time.Since(began))
	if said := exoshift(install...); strings.Contains(said, " created ") {
		t.Errorf("installed again: %s", said)
	}
	if said := exoshift("status"); strings.Count(said, "voter") != 3 {
		t.Errorf("status: %s", said)
	}
	t.Run("kubectl", func(t *testing.T) { wantShownByKubectl(t, filepath.Join(dir, "cluster/openshift/auth/kubeconfig")) })
	if said := exoshift("destroy", "--confirm-destroy", "c-foreign"); !strings.Contains(said, "Nothing is left of cluster c-foreign") {
		t.Errorf("destroyed: %s", said)
	}
	c := open(t)
	for _, instance := range get(c.ListInstances(t.Context()))(c).Instances {
		if instance.Labels["exoshift-cluster"] == "c-foreign" { // other tests install others
			t.Errorf("left over: %s", instance.Name)
		}
	}
}

// wantByTheZonesClock compares the time between the first and the last event, which is the zone's, with that on the wall.
func wantByTheZonesClock(t *testing.T, events string, wall time.Duration) {
	t.Helper()
	content, err := os.ReadFile(events)
	must(t, err)
	var times []time.Time
	for line := range strings.Lines(string(content)) {
		var event struct{ Time time.Time }
		must(t, json.Unmarshal([]byte(line), &event))
		times = append(times, event.Time)
	}
	if took := times[len(times)-1].Sub(times[0]); took < 3*wall {
		t.Errorf("an installation of %s took %s on a zone at speed 60", took, wall)
	}
}

func wantShownByKubectl(t *testing.T, kubeconfig string) {
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("kubectl is not installed here")
	}
	kubectl := func(args ...string) string {
		t.Helper()
		return say(t, "kubectl", append([]string{"--kubeconfig", kubeconfig}, args...)...)
	}
	nodes := strings.Split(strings.TrimSpace(kubectl("get", "no", "--no-headers")), "\n")
	if len(nodes) != 13 {
		t.Errorf("%d nodes: %q", len(nodes), nodes)
	}
	for _, node := range nodes {
		if columns := strings.Fields(node); columns[1] != "Ready" || !strings.HasPrefix(columns[4], "v1.") {
			t.Errorf("not a node that is ready: %s", node)
		}
	}
	// Kubernetes forgets requests an hour after it issued their certificates, and a fast zone gets there during the test.
	if said := kubectl("get", "csr"); strings.Contains(said, "Pending") || !strings.Contains(said, "Approved,Issued") && !strings.Contains(said, "No resources found") {
		t.Errorf("requests: %s", said)
	}
	if said := kubectl("get", "clusterversion,co"); strings.Count(said, "4.20.5 ") < 30 {
		t.Errorf("operators: %s", said)
	}
	kubectl("label", "node", "worker-0", "foreign=yes")
	if said := kubectl("get", "node", "-l", "foreign=yes", "-o", "name"); said != "node/worker-0\n" {
		t.Errorf("labelled: %s", said)
	}
}
