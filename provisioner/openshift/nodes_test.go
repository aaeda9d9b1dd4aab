package openshift_test

import (
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"

	"exoshift/internal/fault"
	"exoshift/state"

	"github.com/google/go-cmp/cmp"
)

func TestLabelNode_AddsMissingOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		node := with(named("infra-0"), "metadata.labels", map[string]any{"kept": "yes"})
		r.put(t, "nodes", "", with(node, "spec.taints", []any{map[string]any{"key": "kept", "effect": "NoExecute"}}))
		labels := map[string]string{"node-role.kubernetes.io/infra": ""}
		taints := []state.Taint{{Key: "node-role.kubernetes.io/infra", Effect: "NoSchedule"}}
		for _, want := range []state.Action{state.Updated, state.Found} {
			if got, err := r.LabelNode(t.Context(), "infra-0", labels, taints); err != nil || got != want {
				t.Errorf("%q, %v, want %q", got, err, want)
			}
		}
		nodes, err := r.Nodes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]string{"kept": "yes", "node-role.kubernetes.io/infra": ""}, nodes[0].Labels); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]state.Taint{{Key: "kept", Effect: "NoExecute"}, taints[0]}, nodes[0].Taints); diff != "" {
			t.Error(diff)
		}
		if _, err := r.LabelNode(t.Context(), "infra-9", labels, nil); !fault.Is(err, fault.NotFound) {
			t.Errorf("a node that is not there: %v", err)
		}
	})
}

func TestLabelNode_KeepsForeignTaints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.put(t, "nodes", "", named("infra-0"))
		changes := 0
		r.before = func(q *http.Request) {
			if q.Method == http.MethodPatch && changes == 0 {
				changes++
				r.change(t, "nodes", "", "infra-0", "spec.taints", []any{map[string]any{"key": "other", "effect": "NoExecute"}})
			}
		}
		wanted := state.Taint{Key: "node-role.kubernetes.io/infra", Effect: "NoSchedule"}
		if _, err := r.LabelNode(t.Context(), "infra-0", nil, []state.Taint{wanted}); err != nil {
			t.Fatal(err)
		}
		nodes, err := r.Nodes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]state.Taint{{Key: "other", Effect: "NoExecute"}, wanted}, nodes[0].Taints); diff != "" {
			t.Error(diff)
		}
	})
}

func TestLabelNode_ReplacesTaintValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.put(t, "nodes", "", with(named("storage-0"), "spec.taints", []any{
			map[string]any{"key": "storagenode", "value": "False", "effect": "NoSchedule"},
			map[string]any{"key": "storagenode", "value": "False", "effect": "NoExecute"},
		}))
		wanted := state.Taint{Key: "storagenode", Value: "True", Effect: "NoSchedule"}
		for _, want := range []state.Action{state.Updated, state.Found} {
			if got, err := r.LabelNode(t.Context(), "storage-0", nil, []state.Taint{wanted}); err != nil || got != want {
				t.Errorf("%q, %v, want %q", got, err, want)
			}
		}
		nodes, err := r.Nodes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]state.Taint{wanted, {Key: "storagenode", Value: "False", Effect: "NoExecute"}}, nodes[0].Taints); diff != "" {
			t.Error(diff)
		}
	})
}

func TestLabelNode_GivesUpOnConflicts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.put(t, "nodes", "", named("storage-0"))
		changes := 0
		r.before = func(q *http.Request) {
			if q.Method == http.MethodPatch {
				changes++
				r.change(t, "nodes", "", "storage-0", "metadata.labels", map[string]any{"changes": strconv.Itoa(changes)})
			}
		}
		_, err := r.LabelNode(t.Context(), "storage-0", nil, []state.Taint{{Key: "storagenode", Value: "True", Effect: "NoSchedule"}})
		if !fault.Is(err, fault.Transient) || changes != 5 {
			t.Errorf("after %d attempts: %v", changes, err)
		}
	})
}
