package dashboard

import (
	"time"

	"exoshift/provisioner"
	"exoshift/state"
)

// replacing is a replacement of two nodes, of which one is held up, while the storage recovers. It begins with its own steps.
func replacing() *tape {
	t := &tape{now: began}
	started := provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Started, Verb: "nodes replace", Text: "replace nodes of c-demo-1"}
	for _, node := range []string{"worker-0", "storage-1"} {
		for _, step := range []string{"cordon", "drain", "stop", "delete-node"} {
			started.Steps = append(started.Steps, provisioner.PlannedStep{ID: step + "-" + node, Title: step + " " + node, Phase: "nodes"})
		}
	}
	t.add(0, started)
	for _, machine := range state.Default().Nodes() {
		t.add(0, provisioner.Event{Type: provisioner.TypeNode, Name: machine.Name, Role: string(machine.Role), State: provisioner.NodeReady})
	}
	t.add(0, provisioner.Event{Type: provisioner.TypeNode, Name: "worker-9", Role: "worker", State: provisioner.NodeReady})
	t.add(0, provisioner.Event{Type: provisioner.TypeNode, Name: "worker-9", State: provisioner.NodeRemoved})
	t.add(0, provisioner.Event{Type: provisioner.TypeEtcd, Members: []provisioner.Member{{Name: "master-0", State: "voter", Revision: 7}, {Name: "master-1", State: "voter", Revision: 7}, {Name: "master-2", State: "unhealthy", Revision: 7}}})
	t.pool("master", 3, 3, 3, "")
	t.pool("worker", 10, 10, 9, "")
	t.target("worker-9", provisioner.TargetRemoved, "removed")
	t.target("infra-0", provisioner.TargetWaiting, "waiting, 12 pods to evict")
	t.target("worker-0", provisioner.TargetDraining, "draining, 3 pods left",
		"shop/cart-0 of StatefulSet/cart: the disruption budget shop/cart permits no eviction now", "shop/cart-1 of StatefulSet/cart: as before", "shop/db-0: as before", "shop/db-1: as before")
	t.target("storage-1", provisioner.TargetAdding, "adding storage-3 in its place")
	t.add(0, provisioner.Event{Type: provisioner.TypeStep, Step: "drain-worker-0", Phase: "nodes", State: provisioner.Started, Text: "Evict the pods of worker-0"})
	t.add(2*time.Minute, provisioner.Event{
		Type: provisioner.TypeCeph, State: "HEALTH_WARN", Text: "OSDs 4/4 up, 3 in, 41% used",
		Ceph: &provisioner.CephStatus{Checks: []string{"PG_DEGRADED", "OSDMAP_FLAGS"}, OSDs: 4, OSDsUp: 4, OSDsIn: 3, Groups: 129, GroupsClean: 96, UsedPercent: 41},
	})
	return t
}

func (t *tape) pool(name string, machines, updated, ready int, reason string) {
	e := provisioner.Event{Type: provisioner.TypePool, Name: name, State: provisioner.PoolUpdated, Machines: &machines, Updated: &updated, Ready: &ready, Reason: reason}
	if e.Text = "10/10 updated, 9/10 ready"; ready == machines {
		e.Text = "3/3 updated, 3/3 ready"
	} else {
		e.State = provisioner.PoolUpdating
	}
	t.add(0, e)
}

func (t *tape) target(name, state, text string, held ...string) {
	e := provisioner.Event{Type: provisioner.TypeTarget, Name: name, State: state, Text: text, Evidence: held}
	if state == provisioner.TargetAdding {
		e.Node = "storage-3"
	}
	t.add(0, e)
}
