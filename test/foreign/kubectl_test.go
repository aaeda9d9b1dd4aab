package foreign

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// kubectl runs kubectl with the kubeconfig that the installation made.
func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	return say(t, "kubectl", append([]string{"--kubeconfig", filepath.Join(opened.cluster, "openshift/auth/kubeconfig")}, args...)...)
}

// awaitCluster waits until the machines, which boot again when the zone is opened, serve the API.
func awaitCluster(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("kubectl is not installed here")
	}
	for range 60 {
		ask := exec.CommandContext(t.Context(), "kubectl", "--kubeconfig", filepath.Join(opened.cluster, "openshift/auth/kubeconfig"),
			"wait", "node", "--all", "--for=condition=Ready", "--timeout=30s")
		if ask.Run() == nil {
			return
		}
		time.Sleep(time.Second)
	}
	t.Fatal("the nodes did not become ready")
}

func TestKubectl(t *testing.T) {
	t.Parallel()
	awaitCluster(t)
	nodes := strings.Split(strings.TrimSpace(kubectl(t, "get", "no", "--no-headers")), "\n")
	if len(nodes) != 13 {
		t.Errorf("%d nodes: %q", len(nodes), nodes)
	}
	for _, node := range nodes {
		if columns := strings.Fields(node); columns[1] != "Ready" || !strings.HasPrefix(columns[4], "v1.") {
			t.Errorf("not a node that is ready: %s", node)
		}
	}
	if said := kubectl(t, "get", "csr"); !strings.Contains(said, "Approved,Issued") || strings.Contains(said, "Pending") {
		t.Errorf("requests: %s", said)
	}
	if said := kubectl(t, "get", "clusterversion,co"); strings.Count(said, "4.20.5 ") < 30 {
		t.Errorf("operators: %s", said)
	}
	kubectl(t, "label", "node", "worker-0", "foreign=yes")
	if said := kubectl(t, "get", "node", "-l", "foreign=yes", "-o", "name"); said != "node/worker-0\n" {
		t.Errorf("labelled: %s", said)
	}
}
