package openshift_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"exoshift/internal/simcloud/kube"
	"exoshift/state"
)

// placePod puts a ready pod on a node.
func (r *rehearsal) placePod(t *testing.T, name, node string) {
	t.Helper()
	r.put(t, "pods", "shop", object(t, name, `{"metadata": {"labels": {"app": "web"}}, "spec": {"nodeName": "`+node+`", "volumes": [{"emptyDir": {}}]},
		"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}`))
}

func (r *rehearsal) placeBudget(t *testing.T, name string, allowed int) {
	t.Helper()
	budget := object(t, name, `{"spec": {"selector": {"matchLabels": {"app": "web"}}}, "status": {"currentHealthy": 2, "desiredHealthy": 2}}`)
	r.put(t, kube.BudgetResource, "shop", with(budget, "status.disruptionsAllowed", allowed))
}

func TestEvictPod_WithinItsBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.placePod(t, "web-0", "worker-0")
		r.placePod(t, "web-1", "worker-0")
		r.placeBudget(t, "web", 1)
		pods, err := r.ListNodePods(t.Context(), "worker-0")
		if err != nil || len(pods) != 2 || !pods[0].EmptyDir || !pods[0].Ready || pods[0].Owner != "" {
			t.Fatalf("pods %+v, %v", pods, err)
		}
		if action, err := r.EvictPod(t.Context(), pods[0]); action != state.Deleted || err != nil {
			t.Errorf("the first: %s, %v", action, err)
		}
		_, err = r.EvictPod(t.Context(), pods[1])
		var blocked *state.EvictionBlockedError
		if !errors.As(err, &blocked) || !strings.Contains(err.Error(), "The disruption budget web needs 2 healthy pods") {
			t.Errorf("the second: %v", err)
		}
		if action, err := r.EvictPod(t.Context(), pods[0]); action != state.Found || err != nil {
			t.Errorf("one that is gone: %s, %v", action, err)
		}
		r.placePod(t, "web-0", "worker-1") // made again elsewhere
		if action, err := r.EvictPod(t.Context(), pods[0]); action != state.Found || err != nil {
			t.Errorf("another one of that name: %s, %v", action, err)
		}
	})
}

func TestEvictPod_TwoBudgetsNeverPermitIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.placePod(t, "web-0", "worker-0")
		r.placeBudget(t, "web", 1)
		r.placeBudget(t, "all", 1)
		pods, err := r.ListNodePods(t.Context(), "worker-0")
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.EvictPod(t.Context(), pods[0])
		var blocked *state.EvictionBlockedError
		if !errors.As(err, &blocked) || !strings.Contains(err.Error(), "more than one PodDisruptionBudget") {
			t.Errorf("it is %v", err)
		}
		budgets, err := r.ListBudgets(t.Context())
		if err != nil || len(budgets) != 2 || !budgets[0].Selects(pods[0]) || budgets[0].Selects(state.Pod{Namespace: "shop"}) {
			t.Errorf("budgets %+v, %v", budgets, err)
		}
	})
}

func TestSetCordon_TwiceIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.put(t, "nodes", "", named("worker-0"))
		for _, c := range []struct {
			cordoned bool
			want     state.Action
		}{{true, state.Updated}, {true, state.Found}, {false, state.Updated}, {false, state.Found}} {
			action, err := r.SetCordon(t.Context(), "worker-0", c.cordoned)
			nodes, unlisted := r.ListClusterNodes(t.Context())
			if action != c.want || err != nil || unlisted != nil || nodes[0].Cordoned != c.cordoned {
				t.Errorf("%t: %s, %v, %+v", c.cordoned, action, err, nodes)
			}
		}
		if action, err := r.DeleteNode(t.Context(), "worker-0"); action != state.Deleted || err != nil {
			t.Errorf("deleted: %s, %v", action, err)
		}
		if action, err := r.DeleteNode(t.Context(), "worker-0"); action != state.Found || err != nil {
			t.Errorf("deleted twice: %s, %v", action, err)
		}
	})
}

func TestListLocalVolumes_OfOneNodeOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		volume := func(name, nodes string) {
			r.put(t, "persistentvolumes", "", object(t, name, `{"spec": {"claimRef": {"namespace": "shop", "name": "`+name+`"}, "nodeAffinity": {"required":
				{"nodeSelectorTerms": [{"matchExpressions": [{"key": "topology.topolvm.io/node", "operator": "In", "values": [`+nodes+`]}]}]}}}}`))
		}
		volume("here", `"worker-0"`)
		volume("there", `"worker-1"`)
		volume("both", `"worker-0", "worker-1"`)
		claims, err := r.ListLocalVolumes(t.Context(), "worker-0")
		if err != nil || len(claims) != 1 || claims[0] != "shop/here" {
			t.Errorf("claims %v, %v", claims, err)
		}
		r.put(t, "volumeattachments.storage.k8s.io", "", object(t, "csi-1", `{"spec": {"nodeName": "worker-0", "source": {"persistentVolumeName": "pv-1"}}}`))
		if attached, err := r.ListAttachments(t.Context(), "worker-0"); err != nil || len(attached) != 1 || attached[0] != "pv-1" {
			t.Errorf("attached %v, %v", attached, err)
		}
	})
}
