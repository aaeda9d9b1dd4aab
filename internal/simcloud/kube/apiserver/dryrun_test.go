package apiserver

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"exoshift/internal/simcloud/store"
)

func TestServer_AnswersADryRunAndChangesNothing(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	a.space("a")
	maps, dry := a.admin().CoreV1().ConfigMaps("a"), []string{metav1.DryRunAll}
	made, err := maps.Create(t.Context(), configMap("new"), metav1.CreateOptions{DryRun: dry})
	if err != nil || made.UID == "" || made.Namespace != "a" {
		t.Errorf("create: %+v, %v", made, err)
	}
	if _, err := maps.Get(t.Context(), "new", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("a dry run created it: %v", err)
	}
	if _, err := maps.Create(t.Context(), configMap("old", "key", "one"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	before := a.objects.ResourceVersion("configmaps", "a", "old")
	if _, err := maps.Create(t.Context(), configMap("old"), metav1.CreateOptions{DryRun: dry}); !apierrors.IsAlreadyExists(err) {
		t.Errorf("a second one: %v", err)
	}
	changed, err := maps.Patch(t.Context(), "old", types.MergePatchType, []byte(`{"data": {"key": "two"}}`), metav1.PatchOptions{DryRun: dry})
	if err != nil || changed.Data["key"] != "two" {
		t.Errorf("patch: %+v, %v", changed, err)
	}
	force := true
	for _, name := range []string{"old", "new"} {
		content := []byte(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "` + name + `"}, "data": {"key": "three"}}`)
		applied, err := maps.Patch(t.Context(), name, types.ApplyPatchType, content, metav1.PatchOptions{FieldManager: "test", Force: &force, DryRun: dry})
		if err != nil || applied.Data["key"] != "three" {
			t.Errorf("apply %s: %+v, %v", name, applied, err)
		}
	}
	if err := maps.Delete(t.Context(), "old", metav1.DeleteOptions{DryRun: dry}); err != nil {
		t.Errorf("delete: %v", err)
	}
	if err := maps.Delete(t.Context(), "new", metav1.DeleteOptions{DryRun: dry}); !apierrors.IsNotFound(err) {
		t.Errorf("delete what is not there: %v", err)
	}
	if got := a.objects.ResourceVersion("configmaps", "a", "old"); got != before || len(a.objects.List("configmaps", "a")) != 1 {
		t.Errorf("version %d, was %d, of %v", got, before, a.objects.List("configmaps", "a"))
	}
	if _, err := maps.Create(t.Context(), configMap("new"), metav1.CreateOptions{DryRun: []string{"Some"}}); !apierrors.IsBadRequest(err) && !apierrors.IsInvalid(err) {
		t.Errorf("another dry run: %v", err)
	}
}

func TestServer_DeletesTheContentsOfANamespace(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	a.space("a", "b")
	client := a.admin().CoreV1()
	for _, namespace := range []string{"a", "b"} {
		if _, err := client.ConfigMaps(namespace).Create(t.Context(), configMap("one"), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "two"}}
		if _, err := client.Secrets(namespace).Create(t.Context(), secret, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := client.Namespaces().Delete(t.Context(), "a", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}); err != nil || len(a.objects.List("secrets", "a")) != 1 {
		t.Errorf("a dry run: %v", err)
	}
	if err := client.Namespaces().Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for namespace, want := range map[string]int{"a": 0, "b": 1} {
		for _, resource := range []string{"configmaps", "secrets"} {
			if got := len(a.objects.List(resource, namespace)); got != want {
				t.Errorf("%d %s are in namespace %s, want %d", got, resource, namespace, want)
			}
		}
	}
}

func TestServer_NamespaceIsTerminatingUntilFinalizersAreGone(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	a.space("a")
	client := a.admin().CoreV1()
	held := configMap("held")
	held.Finalizers = []string{"example.net/hold"}
	for _, object := range []*corev1.ConfigMap{held, configMap("free")} {
		if _, err := client.ConfigMaps("a").Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	watcher := must(client.Namespaces().Watch(t.Context(), metav1.ListOptions{ResourceVersion: must(client.Namespaces().List(t.Context(), metav1.ListOptions{})).ResourceVersion}))
	defer watcher.Stop()
	if err := client.Namespaces().Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	namespace := must(client.Namespaces().Get(t.Context(), "a", metav1.GetOptions{}))
	if namespace.Status.Phase != corev1.NamespaceTerminating || namespace.DeletionTimestamp == nil {
		t.Errorf("the namespace is %s since %v", namespace.Status.Phase, namespace.DeletionTimestamp)
	}
	if left := must(client.ConfigMaps("a").List(t.Context(), metav1.ListOptions{})); len(left.Items) != 1 || left.Items[0].DeletionTimestamp == nil {
		t.Errorf("left: %+v", left.Items)
	}
	_, err := client.ConfigMaps("a").Create(t.Context(), configMap("new"), metav1.CreateOptions{})
	if !apierrors.IsForbidden(err) || !apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		t.Errorf("create in it: %v", err)
	}
	if err := client.Namespaces().Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
		t.Errorf("a second deletion: %v", err)
	}
	patch := []byte(`{"metadata":{"deletionTimestamp":null,"finalizers":null}}`)
	if _, err := client.ConfigMaps("a").Patch(t.Context(), "held", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Namespaces().Get(t.Context(), "a", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("after the last finalizer: %v", err)
	}
	for _, want := range []watch.EventType{watch.Modified, watch.Deleted} {
		if event := <-watcher.ResultChan(); event.Type != want {
			t.Errorf("event %s, want %s", event.Type, want)
		}
	}
}
