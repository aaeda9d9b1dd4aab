package cluster

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"exoshift/state"
)

// A cluster comes to run by its catalog, played by a script on a real API with Argo CD's kinds.
func TestSynthesis_StepByStep(t *testing.T) {
	t.Parallel()
	s := converge(t)
	w := s.plane.watch(t, s.apiPort)
	expect := func(of func(state.SynStatus) state.ApplicationStatus, health, message string) {
		t.Helper()
		seen, err := w.GetSynthesis(t.Context())
		must(t, err)
		if got := of(seen); got.Health != health || !strings.Contains(got.Message, message) {
			t.Errorf("%+v, want %s", got, health)
		}
	}
	expect(stewardOf, "Missing", "")
	expect(argoOf, "Missing", "the log of the Deployment syn/steward")
	expect(rootOf, "Missing", "")
	w.apply(t, manifests(t, "steward.json"), stewardBecame(state.Created)...)
	expect(stewardOf, "Progressing", "it starts")
	s.pullsNoImage(t)
	expect(stewardOf, "Progressing", "pod steward-5d4f: ImagePullBackOff: Back-off pulling image")
	s.reports(t, "apps/v1", "deployments", "steward", "status", `{"status": {"conditions": [{"type": "Available", "status": "True"}]}}`)
	expect(stewardOf, "Healthy", "")
	objects := []string{"CustomResourceDefinition applications.argoproj.io", "CustomResourceDefinition argocds.argoproj.io", "Application root"}
	w.apply(t, manifests(t, "argocd.yaml"), objects[0]+" created", objects[1]+" created", objects[2]+" created")
	w.apply(t, manifests(t, "argocd.yaml"), objects[0]+" found", objects[1]+" found", objects[2]+" found")
	expect(rootOf, "Unknown", "")
	s.runArgo(t, expect)
	s.reports(t, "argoproj.io/v1alpha1", "applications", "root", "", `{"status": {"sync": {"status": "Unknown"}, "health": {"status": "Healthy"},
		"conditions": [{"type": "ComparisonError", "message": "rpc error: code = Unknown desc = ssh: handshake failed"}]}}`)
	expect(rootOf, "Healthy", "handshake failed")
	s.reports(t, "argoproj.io/v1alpha1", "applications", "root", "", `{"status": {"sync": {"status": "Synced"}, "conditions": null}}`)
	seen, err := w.GetSynthesis(t.Context())
	must(t, err)
	if !seen.Root.IsHealthy() || !seen.Steward.IsHealthy() || !seen.Argo.IsHealthy() || len(seen.Applications) != 0 {
		t.Errorf("at the end: %+v", seen)
	}
}

func stewardOf(seen state.SynStatus) state.ApplicationStatus { return seen.Steward }
func argoOf(seen state.SynStatus) state.ApplicationStatus    { return seen.Argo }
func rootOf(seen state.SynStatus) state.ApplicationStatus    { return seen.Root }

// reports merges into an object of the namespace syn what its controller says.
func (s *story) reports(t *testing.T, version, resource, name, subresource, patch string) {
	t.Helper()
	group, err := schema.ParseGroupVersion(version)
	must(t, err)
	var subresources []string
	if subresource != "" {
		subresources = []string{subresource}
	}
	_, err = s.all.Resource(group.WithResource(resource)).Namespace("syn").Patch(t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, subresources...)
	must(t, err)
}

// pullsNoImage plays a node that cannot pull Steward's image.
func (s *story) pullsNoImage(t *testing.T) {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "steward-5d4f", Labels: map[string]string{"app.kubernetes.io/name": "steward"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "steward", Image: "docker.io/projectsyn/steward:v0.2.2"}}},
	}
	made, err := s.typed.CoreV1().Pods("syn").Create(t.Context(), pod, metav1.CreateOptions{})
	must(t, err)
	made.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "steward", Image: "a", State: corev1.ContainerState{
		Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "Back-off pulling image"},
	}}}
	_, err = s.typed.CoreV1().Pods("syn").UpdateStatus(t.Context(), made, metav1.UpdateOptions{})
	must(t, err)
}

// runArgo plays Argo CD's operator.
func (s *story) runArgo(t *testing.T, expect func(func(state.SynStatus) state.ApplicationStatus, string, string)) {
	t.Helper()
	expect(argoOf, "Missing", "nothing to run")
	s.create(t, "argoproj.io/v1beta1", "argocds", "syn", "ArgoCD", "syn-argocd", nil)
	expect(argoOf, "Progressing", "sets it up")
	s.reports(t, "argoproj.io/v1beta1", "argocds", "syn-argocd", "status", `{"status": {"phase": "Available"}}`)
	expect(argoOf, "Progressing", "does not exist yet")
	const controller = "syn-argocd-application-controller"
	labels := map[string]any{"app.kubernetes.io/name": controller}
	s.create(t, "apps/v1", "statefulsets", "syn", "StatefulSet", controller, map[string]any{"spec": map[string]any{
		"serviceName": controller, "selector": map[string]any{"matchLabels": labels},
		"template": map[string]any{"metadata": map[string]any{"labels": labels}, "spec": map[string]any{
			"containers": []any{map[string]any{"name": "argocd", "image": "quay.io/argoproj/argocd:v3.1.9"}},
		}},
	}})
	expect(argoOf, "Progressing", "its controller starts")
	s.reports(t, "apps/v1", "statefulsets", controller, "status", `{"status": {"replicas": 1, "readyReplicas": 1}}`)
	expect(argoOf, "Healthy", "")
}
