package main

import (
	"regexp"
	"testing"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/state"
)

var memberName = regexp.MustCompile(`^worker-[0-9a-f]{5}-[0-9a-z]{5}$`)

// workerPool makes the workers an instance pool, of a cluster without storage nodes.
func workerPool(spec *state.Spec) {
	spec.Sizing.Storage.Count = 0
	spec.Sizing.Workers.Pool, spec.Sizing.Workers.Min, spec.Sizing.Workers.Max = true, 3, 9
}

// checkPool requires a pool with that many members, which the facts name.
func checkPool(t *testing.T, s run.Run, count int) state.Spec {
	t.Helper()
	spec, err := clusterdir.ReadAnswers(s.Folder)
	if err != nil {
		t.Fatal(err)
	}
	pools := backdoor{t, s}.list("/instance-pool", "instance-pools")
	if len(pools) != 1 || pools[0]["name"] != "c-demo-1_worker" || pools[0]["size"] != float64(count) || len(pools[0]["instances"].([]any)) != count {
		t.Errorf("pools: %v", pools)
	}
	workers := spec.Machines(state.RoleWorker)
	for _, machine := range workers {
		if !memberName.MatchString(machine.Name) {
			t.Errorf("a worker is called %s", machine.Name)
		}
	}
	if len(workers) != count {
		t.Errorf("%d workers: %v", len(workers), workers)
	}
	return spec
}

// TestPool_InstalledAndDestroyed: the members get their names and addresses from the API, their certificates and labels as all nodes do.
func TestPool_InstalledAndDestroyed(t *testing.T) {
	virtuallyIn(t, circumstances{spec: workerPool}, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
		before := belongings(t, s)
		installed(t, s)
		checkPool(t, s, 3)
		for _, node := range listNodes(t, s) {
			if node.Role == state.RoleWorker && len(node.Differs())+len(node.Findings()) > 0 {
				t.Errorf("%s: %v, %v", node.Name, node.Differs(), node.Findings())
			}
		}
		keptAndDestroyed(t, s, zone, before)
	})
}
