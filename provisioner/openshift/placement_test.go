package openshift_test

import (
	"testing"
	"testing/synctest"

	"exoshift/state"

	"github.com/google/go-cmp/cmp"
)

func TestPlacement_PoolsRoutersScheduler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		const pools = "machineconfigpools.machineconfiguration.openshift.io"
		worker := with(with(named("worker"), "status.machineCount", 3), "status.readyMachineCount", 1)
		r.put(t, pools, "", with(worker, "status.updatedMachineCount", 2))
		r.put(t, pools, "", with(named("master"), "status.conditions", conditions(
			[3]string{"Degraded", "True", ""}, [3]string{"NodeDegraded", "True", `machineconfig "rendered-master-1" not found`},
			[3]string{"RenderDegraded", "False", "fine"})))
		r.put(t, "schedulers.config.openshift.io", "", with(named("cluster"), "spec.mastersSchedulable", true))
		for name, node := range map[string]string{"router-b": "worker-1", "router-a": "worker-0", "router-c": "worker-1"} {
			r.put(t, "pods", "openshift-ingress", pod(name, node, "Running"))
		}
		r.put(t, "pods", "openshift-ingress", pod("router-d", "worker-2", "Pending"))
		r.put(t, "pods", "openshift-dns", pod("dns", "worker-3", "Running"))
		seen := r.observe(t)
		want := []state.PoolStatus{
			{Name: "master", Degraded: true, Message: `machineconfig "rendered-master-1" not found`},
			{Name: "worker", Machines: 3, Updated: 2, Ready: 1},
		}
		if diff := cmp.Diff(want, seen.Pools); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"worker-0", "worker-1"}, seen.Routers); diff != "" || !seen.MastersSchedulable {
			t.Errorf("masters schedulable: %v; %s", seen.MastersSchedulable, diff)
		}
	})
}
