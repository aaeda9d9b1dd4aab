package openshift_test

import (
	"net/http"
	"testing"
	"testing/synctest"

	"exoshift/internal/fault"
	"exoshift/state"

	"github.com/google/go-cmp/cmp"
)

func TestEnsureIngressPlacement_IsIdempotent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		place := func(proxy bool) (state.Action, error) {
			return r.EnsureIngressPlacement(t.Context(), "node-role.kubernetes.io/infra", 3, proxy)
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

func owned(manager string, fields map[string]any) map[string]any {
	return map[string]any{"manager": manager, "operation": "Update", "apiVersion": "operator.openshift.io/v1", "fieldsType": "FieldsV1",
		"fieldsV1": map[string]any{"f:spec": fields}}
}

func TestEnsureIngressPlacement_KeepsLaterChanges(t *testing.T) {
	const resource, namespace = "ingresscontrollers.operator.openshift.io", "openshift-ingress-operator"
	leaf := map[string]any{}
	for name, test := range map[string]struct {
		path   string
		value  any
		fields map[string]any
	}{
		"replicas":      {"spec.replicas", float64(5), map[string]any{"f:replicas": leaf}},
		"node selector": {"spec.nodePlacement.nodeSelector.matchLabels", map[string]any{"a": "b"}, map[string]any{"f:nodePlacement": map[string]any{"f:nodeSelector": leaf}}},
		"protocol": {"spec.endpointPublishingStrategy.hostNetwork.protocol", "TCP",
			map[string]any{"f:endpointPublishingStrategy": map[string]any{"f:hostNetwork": map[string]any{"f:protocol": leaf}}}},
		"strategy": {"spec.endpointPublishingStrategy.type", "Private", map[string]any{"f:endpointPublishingStrategy": map[string]any{"f:type": leaf}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := rehearse(t)
				place := func(want state.Action) {
					t.Helper()
					if got, err := r.EnsureIngressPlacement(t.Context(), "node-role.kubernetes.io/infra", 2, true); err != nil || got != want {
						t.Errorf("%q, %v, want %q", got, err, want)
					}
				}
				// What the operator created is changed, whoever owns it.
				controller := with(named("default"), "metadata.managedFields", []any{owned("ingress-operator", test.fields)})
				r.put(t, resource, namespace, with(controller, test.path, test.value))
				place(state.Updated)
				if placed, _ := r.objects.Get(resource, namespace, "default"); cmp.Equal(placed.Get(test.path), test.value) {
					t.Errorf("what the operator made is still there: %v", test.value)
				}
				r.change(t, resource, namespace, "default", test.path, test.value)
				r.change(t, resource, namespace, "default", "metadata.managedFields", []any{owned("argocd-controller", test.fields)})
				place(state.Found)
				r.change(t, resource, namespace, "default", "metadata.managedFields", []any{owned("exoshift", test.fields)})
				place(state.Updated)
			})
		})
	}
}

func TestRestoreIngressPlacement_WhoeverChangedIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		const resource, namespace, schedulers = "ingresscontrollers.operator.openshift.io", "openshift-ingress-operator", "schedulers.config.openshift.io"
		const selector = "spec.nodePlacement.nodeSelector.matchLabels"
		r.put(t, schedulers, "", with(named("cluster"), "spec.mastersSchedulable", true))
		r.put(t, resource, namespace, named("default"))
		if _, err := r.EnsureIngressPlacement(t.Context(), "node-role.kubernetes.io/infra", 2, true); err != nil {
			t.Fatal(err)
		}
		masters := map[string]any{"node-role.kubernetes.io/master": ""}
		r.change(t, resource, namespace, "default", selector, masters)
		r.change(t, resource, namespace, "default", "metadata.managedFields",
			[]any{owned("argocd-controller", map[string]any{"f:nodePlacement": map[string]any{"f:nodeSelector": map[string]any{}}})})
		if got, err := r.RestoreIngressPlacement(t.Context(), "node-role.kubernetes.io/infra", 2, true); err != nil || got != state.Updated {
			t.Errorf("%q, %v", got, err)
		}
		placed, _ := r.objects.Get(resource, namespace, "default")
		if diff := cmp.Diff(map[string]any{"node-role.kubernetes.io/infra": ""}, placed.Get(selector)); diff != "" {
			t.Errorf("the routers are placed elsewhere (-want +got):\n%s", diff)
		}
		if scheduler, _ := r.objects.Get(schedulers, "", "cluster"); scheduler.Get("spec.mastersSchedulable") != false {
			t.Error("masters take workloads")
		}
	})
}

func TestEnsureIngressPlacement_RetriesConflict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		const resource, namespace = "ingresscontrollers.operator.openshift.io", "openshift-ingress-operator"
		r.put(t, resource, namespace, named("default"))
		changed := false
		r.before = func(q *http.Request) {
			if q.Method == http.MethodPatch && !changed {
				changed = true
				r.change(t, resource, namespace, "default", "spec.nodePlacement.tolerations", []any{map[string]any{"key": "other", "operator": "Exists"}})
			}
		}
		if got, err := r.EnsureIngressPlacement(t.Context(), "node-role.kubernetes.io/infra", 2, true); err != nil || got != state.Updated {
			t.Errorf("%q, %v", got, err)
		}
		placed, _ := r.objects.Get(resource, namespace, "default")
		if tolerations := placed.List("spec.nodePlacement.tolerations"); len(tolerations) != 2 {
			t.Errorf("tolerations: %v", tolerations)
		}
	})
}
