package openshift_test

import (
	"testing"
	"testing/synctest"

	"exoshift/internal/fault"
	"exoshift/state"

	"github.com/google/go-cmp/cmp"
)

func TestIngressIsPlacedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		place := func(proxy bool) (state.Action, error) {
			return r.PlaceIngress(t.Context(), "node-role.kubernetes.io/infra", 3, proxy)
		}
		if _, err := place(true); !fault.Is(err, fault.Transient) {
			t.Errorf("before there is a controller: %v", err)
		}
		const resource, namespace = "ingresscontrollers.operator.openshift.io", "openshift-ingress-operator"
		controller := with(named("default"), "spec.httpErrorCodePages", "kept")
		controller.Set("spec.nodePlacement.nodeSelector.matchLabels", map[string]any{"node-role.kubernetes.io/worker": ""})
		r.put(t, resource, namespace, controller)
		for _, step := range []struct {
			proxy bool
			want  state.Action
		}{{true, state.Updated}, {true, state.Found}, {false, state.Updated}, {false, state.Found}} {
			if got, err := place(step.proxy); err != nil || got != step.want {
				t.Errorf("proxy protocol %v: %q, %v, want %q", step.proxy, got, err, step.want)
			}
		}
		placed, _ := r.objects.Get(resource, namespace, "default")
		want := map[string]any{
			"httpErrorCodePages": "kept",
			"replicas":           float64(3),
			"nodePlacement": map[string]any{
				"nodeSelector": map[string]any{"matchLabels": map[string]any{"node-role.kubernetes.io/infra": ""}},
				"tolerations":  []any{map[string]any{"key": "node-role.kubernetes.io/infra", "operator": "Exists"}},
			},
			"endpointPublishingStrategy": map[string]any{"type": "HostNetwork", "hostNetwork": map[string]any{"protocol": "TCP"}},
		}
		if diff := cmp.Diff(want, placed.Map("spec")); diff != "" {
			t.Error(diff)
		}
	})
}
