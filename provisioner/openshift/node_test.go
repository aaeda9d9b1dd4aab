package openshift_test

import (
	"testing"
	"testing/synctest"
	"time"

	"exoshift/state"

	"github.com/google/go-cmp/cmp"
)

func TestNodes_NotReadyReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.put(t, "nodes", "", named("worker-1"))
		infra := with(master("infra-0", "192.0.2.20"), "status.conditions", conditions([3]string{"Ready", "False", "no CNI plugin"}))
		infra.Set("spec.taints", []any{map[string]any{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}})
		r.put(t, "nodes", "", infra)
		r.put(t, "nodes", "", with(named("storage-0"), "status.conditions", conditions([3]string{"Ready", "True", "kubelet is ready"})))
		created := time.Now().Truncate(time.Second).UTC()
		got := r.observe(t).Nodes
		want := []state.NodeStatus{
			{
				Name: "infra-0", Created: created, Reason: "no CNI plugin", Address: "192.0.2.20",
				Labels: map[string]string{"node-role.kubernetes.io/master": "", "kubernetes.io/hostname": "infra-0"},
				Taints: []state.Taint{{Key: "node.kubernetes.io/not-ready", Effect: "NoSchedule"}},
			},
			{Name: "storage-0", Created: created, Ready: true},
			{Name: "worker-1", Created: created, Reason: "it has not reported yet"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
