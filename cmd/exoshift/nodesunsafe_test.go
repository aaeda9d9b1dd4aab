package main

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"exoshift/internal/app/exit"
	appnodes "exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/nodes"
	"exoshift/state"
)

// unwell is a cluster whose state is altered.
type unwell struct {
	nodes.Cluster
	alter func(*state.Snapshot)
}

func (u unwell) Poll(ctx context.Context, bootstrap netip.Addr, expected []state.ExpectedNode) (state.Snapshot, error) {
	seen, err := u.Cluster.Poll(ctx, bootstrap, expected)
	u.alter(&seen)
	return seen, err
}

// unsafeRemovals are refused although the answers permit them: the cluster is not well, a node has the only copy of data, or another
// removal can only be ended.
func unsafeRemovals(t *testing.T, s run.Run, zone *simcloud.Zone) {
	before := zone.Mutations()
	refused := func(node, says string, alter func(*nodes.Clients)) {
		t.Helper()
		out, err := removeNodes(t, s, appnodes.Removal{Names: []string{node}}, alter)
		if exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: exit code %d, %v, want %q\n%s", node, exit.Code(err), err, says, lastLines(out))
		}
	}
	for says, alter := range map[string]func(*state.Snapshot){
		"the machine config pool worker is degraded: lost": func(seen *state.Snapshot) {
			for i := range seen.Pools {
				seen.Pools[i].Degraded, seen.Pools[i].Message = seen.Pools[i].Name == "worker", "lost"
			}
		},
		"of the machine config pool worker, ": func(seen *state.Snapshot) {
			for i := range seen.Pools {
				if seen.Pools[i].Name == "worker" {
					seen.Pools[i].Ready--
				}
			}
		},
		"the operator dns is degraded": func(seen *state.Snapshot) {
			for i := range seen.Operators {
				if seen.Operators[i].Name == "dns" {
					seen.Operators[i].Degraded, seen.Operators[i].Stable = true, false
				}
			}
		},
		"etcd has 2 healthy members of 3":       func(seen *state.Snapshot) { seen.Etcd.Members = seen.Etcd.Members[1:] },
		"an update of the cluster goes on: 4.x": func(seen *state.Snapshot) { seen.Version.Progressing, seen.Version.Message = true, "4.x" },
		"no operator reports its state":         func(seen *state.Snapshot) { seen.Operators = nil },
	} {
		refused("worker-0", says, func(clients *nodes.Clients) { clients.Cluster = unwell{clients.Cluster, alter} })
	}

	requestCluster(t, s, http.MethodPost, "/api/v1/persistentvolumes", `{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "local"}, "spec": {
		"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "local": {"path": "/data"}, "claimRef": {"namespace": "shop", "name": "orders"},
		"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["worker-0"]}]}]}}}}`, new(map[string]any))
	refused("worker-0", "worker-0 has the only copy of volumes, of the claims shop/orders", nil)

	known := facts(t, s)
	known.SetRemoval(state.NodeRemoval{Node: "worker-1", Role: state.RoleWorker, Committed: true})
	if err := s.Folder.SaveFacts(known); err != nil {
		t.Fatal(err)
	}
	refused("worker-2", "the removal of worker-1 has not ended", nil)
	if made := zone.Mutations() - before; made > 0 {
		t.Errorf("%d calls changed something", made)
	}
	for _, node := range listNodes(t, s) {
		if node.Node.Cordoned {
			t.Errorf("%s is cordoned", node.Name)
		}
	}
}
