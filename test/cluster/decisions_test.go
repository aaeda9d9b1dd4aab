package cluster

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"exoshift/internal/fault"
	"exoshift/state"
)

const (
	registryNamespace = "openshift-image-registry"
	registrySecret    = "image-registry-private-configuration-user"
	ingressNamespace  = "openshift-ingress-operator"
)

// decided patches an object as another program would, so that the API notes who it was.
func (s *story) decided(t *testing.T, resource schema.GroupVersionResource, namespace, name, patch string) {
	t.Helper()
	_, err := s.all.Resource(resource).Namespace(namespace).Patch(t.Context(), name, types.MergePatchType, []byte(patch),
		metav1.PatchOptions{FieldManager: "argocd-controller"})
	must(t, err)
}

// field returns a field of an object, as text.
func (s *story) field(t *testing.T, resource schema.GroupVersionResource, namespace, name string, path ...string) any {
	t.Helper()
	object, err := s.all.Resource(resource).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
	must(t, err)
	value, _, err := unstructured.NestedFieldNoCopy(object.Object, path...)
	must(t, err)
	return value
}

func (s *story) registryComesUp(t *testing.T) {
	t.Parallel()
	w := s.plane.watch(t, s.apiPort)
	bucket := state.Bucket{Name: "c-1-image-registry", Region: "ch-gva-2", Endpoint: "https://sos-ch-gva-2.exo.io"}
	ensure := func() (state.Action, error) {
		return w.EnsureRegistryAccess(t.Context(), bucket, state.APIKey{Name: "c-1_object_storage", Key: "EXOkey", Secret: "secret"},
			state.Placement{NodeLabel: "node-role.kubernetes.io/infra", Replicas: 2})
	}
	if _, err := ensure(); !fault.Is(err, fault.Transient) {
		t.Errorf("before the operator has started: %v", err)
	}
	removed := map[string]any{"spec": map[string]any{"managementState": "Removed", "replicas": int64(1), "storage": map[string]any{}}}
	s.createAs(t, "cluster-image-registry-operator", "imageregistry.operator.openshift.io/v1", "configs", "", "Config", "cluster", removed)
	s.create(t, "samples.operator.openshift.io/v1", "configs", "", "Config", "cluster", map[string]any{"spec": map[string]any{"managementState": "Removed"}})
	for _, want := range []state.Action{state.Updated, state.Found} {
		if got, err := ensure(); err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	registry := schema.GroupVersionResource{Group: "imageregistry.operator.openshift.io", Version: "v1", Resource: "configs"}
	if got := s.field(t, registry, "", "cluster", "spec", "storage", "s3", "bucket"); got != bucket.Name {
		t.Errorf("the registry's bucket is %v", got)
	}
	if got := s.field(t, registry, "", "cluster", "spec", "replicas"); got != int64(2) {
		t.Errorf("the registry has %v replicas", got)
	}
	samples := schema.GroupVersionResource{Group: "samples.operator.openshift.io", Version: "v1", Resource: "configs"}
	if got := s.field(t, samples, "", "cluster", "spec", "managementState"); got != "Managed" {
		t.Errorf("the samples are %v", got)
	}
	secrets := corev1.SchemeGroupVersion.WithResource("secrets")
	s.decided(t, secrets, registryNamespace, registrySecret,
		`{"data": {"REGISTRY_STORAGE_S3_ACCESSKEY": "dGhlaXJz", "REGISTRY_STORAGE_S3_SECRETKEY": "dGhlaXJz"}}`)
	s.decided(t, samples, "", "cluster", `{"spec": {"managementState": "Removed"}}`)
	if got, err := ensure(); err != nil || got != state.Found {
		t.Errorf("after someone else decided: %q, %v", got, err)
	}
	if got := s.field(t, secrets, registryNamespace, registrySecret, "data", "REGISTRY_STORAGE_S3_SECRETKEY"); got != "dGhlaXJz" {
		t.Error("the key of someone else was overwritten")
	}
}

func (s *story) routersArePlaced(t *testing.T) {
	t.Parallel()
	w := s.plane.watch(t, s.apiPort)
	s.create(t, "operator.openshift.io/v1", "ingresscontrollers", ingressNamespace, "IngressController", "default",
		map[string]any{"spec": map[string]any{"replicas": int64(3)}})
	place := func(proxied bool, want state.Action) {
		t.Helper()
		if got, err := w.EnsureIngressPlacement(t.Context(), "node-role.kubernetes.io/infra", 2, proxied); err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	place(true, state.Updated)
	place(true, state.Found)
	s.decided(t, operatorResource("ingresscontrollers"), ingressNamespace, "default", `{"spec": {"replicas": 5}}`)
	place(true, state.Found)
	place(false, state.Updated)
	if got := s.field(t, operatorResource("ingresscontrollers"), ingressNamespace, "default", "spec", "replicas"); got != int64(5) {
		t.Errorf("replicas: %v", got)
	}
	if got := s.field(t, operatorResource("ingresscontrollers"), ingressNamespace, "default", "spec", "endpointPublishingStrategy", "hostNetwork", "protocol"); got != "TCP" {
		t.Errorf("protocol: %v", got)
	}
}

func (s *story) taintGivesWay(t *testing.T) {
	t.Parallel()
	w := s.plane.watch(t, s.apiPort)
	s.create(t, "v1", "nodes", "", "Node", "storage-0", map[string]any{"spec": map[string]any{"taints": []any{
		map[string]any{"key": "storagenode", "value": "False", "effect": "NoSchedule"}, map[string]any{"key": "kept", "effect": "NoExecute"},
	}}})
	for _, want := range []state.Action{state.Updated, state.Found} {
		got, err := w.LabelNode(t.Context(), "storage-0", map[string]string{"node-role.kubernetes.io/storage": ""},
			[]state.Taint{{Key: "storagenode", Value: "True", Effect: "NoSchedule"}})
		if err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	node, err := s.typed.CoreV1().Nodes().Get(t.Context(), "storage-0", metav1.GetOptions{})
	must(t, err)
	values := map[string]string{}
	for _, taint := range node.Spec.Taints {
		values[taint.Key] = taint.Value
	}
	if values["storagenode"] != "True" || values["kept"] != "" || len(node.Spec.Taints) < 2 {
		t.Errorf("taints: %v", node.Spec.Taints)
	}
}
