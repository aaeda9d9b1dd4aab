package main

import (
	"net/http"
	"strings"
	"testing"

	"exoshift/internal/app/run"
	"exoshift/provisioner"
)

func poolOf(node string) string {
	switch {
	case strings.HasPrefix(node, "master-"):
		return "master"
	case node == "worker-2":
		return "canary"
	}
	return "worker"
}

// makeCanary makes a pool of one worker.
func makeCanary(t *testing.T, s run.Run) {
	t.Helper()
	const pools = "/apis/machineconfiguration.openshift.io/v1/machineconfigpools"
	pool := `{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfigPool","metadata":{"name":"canary"},` +
		`"spec":{"nodeSelector":{"matchLabels":{"node-role.kubernetes.io/canary":""}},"machineConfigSelector":{"matchExpressions":[]}}}`
	requestCluster(t, s, http.MethodPost, pools, pool, &map[string]any{})
	patchCluster(t, s, "/api/v1/nodes/worker-2", `{"metadata":{"labels":{"node-role.kubernetes.io/canary":""}}}`)
}

// findFirstUpdated returns the first node that is no master and was rebooted.
func findFirstUpdated(t *testing.T, out string) string {
	t.Helper()
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "{") {
			continue
		}
		if e := eventsOf(t, line)[0]; e.Type == provisioner.TypeNode && e.State == provisioner.NodeNotReady && !strings.HasPrefix(e.Name, "master-") {
			return e.Name
		}
	}
	return ""
}
