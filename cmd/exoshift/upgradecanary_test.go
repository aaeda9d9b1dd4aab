package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"exoshift/internal/app/run"
	appupgrade "exoshift/internal/app/upgrade"
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

// checkCanaryAwaited requires that the other pool stays paused while the canary, and nothing else, keeps the update.
func checkCanaryAwaited(t *testing.T, s run.Run) {
	t.Helper()
	shown, err := updateCluster(t.Context(), t, s, appupgrade.Request{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	canary, worker, master := shown.status.FindPool("canary"), shown.status.FindPool("worker"), shown.status.FindPool("master")
	if !master.IsUpdated() || canary.IsUpdated() || canary.Paused || !worker.Paused || worker.Updated > 0 {
		t.Errorf("while the canary is not updated: %+v", shown.status.Pools)
	}
}

// checkCanaryFirst requires that the canary has been back for five minutes when the first node of another pool but the masters reboots.
func checkCanaryFirst(t *testing.T, out string) {
	t.Helper()
	var rebooted bool
	var back time.Time
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "{") {
			continue
		}
		switch e := eventsOf(t, line)[0]; {
		case e.Type != provisioner.TypeNode || poolOf(e.Name) == "master":
		case poolOf(e.Name) == "canary" && e.State == provisioner.NodeNotReady:
			rebooted = true
		case poolOf(e.Name) == "canary" && rebooted && back.IsZero():
			back = e.Time
		case e.State == provisioner.NodeNotReady:
			if back.IsZero() || e.Time.Sub(back) < 5*time.Minute {
				t.Errorf("%s reboots at %s, and the canary is back since %s", e.Name, e.Time, back)
			}
			return
		}
	}
	t.Error("no node of another pool was updated")
}
