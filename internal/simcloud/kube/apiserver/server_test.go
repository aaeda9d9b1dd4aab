package apiserver

import (
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"exoshift/internal/simcloud/certificate"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/store"
)

var etcds = schema.GroupVersionResource{Group: "operator.openshift.io", Version: "v1", Resource: "etcds"}

func TestAPI_TypedClient(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	maps := a.admin().CoreV1().ConfigMaps("kube-system")
	created, err := maps.Create(t.Context(), configMap("bootstrap", "status", "complete"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if created.UID == "" || created.ResourceVersion == "" || created.CreationTimestamp.IsZero() || created.Namespace != "kube-system" {
		t.Errorf("created %+v", created.ObjectMeta)
	}
	if _, err := maps.Create(t.Context(), configMap("bootstrap"), metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		t.Errorf("second create: %v", err)
	}
	got, err := maps.Get(t.Context(), "bootstrap", metav1.GetOptions{})
	if err != nil || got.Data["status"] != "complete" {
		t.Errorf("got %v, %v", got.Data, err)
	}
	if err := maps.Delete(t.Context(), "bootstrap", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := maps.Get(t.Context(), "bootstrap", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("get after delete: %v", err)
	}
}

func TestAPI_ClusterScopedKinds(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	nodes := a.admin().CoreV1().Nodes()
	must(nodes.Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "infra-0", Namespace: "default"}}, metav1.CreateOptions{}))
	if got := must(nodes.Get(t.Context(), "infra-0", metav1.GetOptions{})); got.Namespace != "" {
		t.Errorf("the node is in namespace %s", got.Namespace)
	}
	if _, err := a.objects.Create("nodes", "default", kube.Object{"metadata": kube.Object{"name": "infra-0"}}); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("the second of that name: %v", err)
	}
}

func TestUpdate_StaleVersionConflicts(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	maps := a.admin().CoreV1().ConfigMaps("default")
	old := must(maps.Create(t.Context(), configMap("a"), metav1.CreateOptions{}))
	changed := old.DeepCopy()
	changed.Data = map[string]string{"k": "v"}
	updated, err := maps.Update(t.Context(), changed, metav1.UpdateOptions{})
	if err != nil || updated.Data["k"] != "v" || updated.ResourceVersion == old.ResourceVersion {
		t.Fatalf("update: %+v, %v", updated, err)
	}
	if _, err := maps.Update(t.Context(), changed, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("update of an old version: %v", err)
	}
}

func TestPatch_EveryType(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	nodes := a.admin().CoreV1().Nodes()
	must(nodes.Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "infra-0", Labels: map[string]string{"a": "1", "b": "2"}}}, metav1.CreateOptions{}))
	for kind, patch := range map[types.PatchType]string{
		types.MergePatchType:          `{"metadata":{"labels":{"merge":"","b":null}}}`,
		types.StrategicMergePatchType: `{"metadata":{"labels":{"strategic":""}},"spec":{"taints":[{"key":"storagenode","value":"True","effect":"NoSchedule"}]}}`,
		types.JSONPatchType:           `[{"op":"add","path":"/metadata/labels/json","value":""}]`,
		types.ApplyPatchType:          "apiVersion: v1\nkind: Node\nmetadata:\n  labels:\n    apply: \"\"\n",
	} {
		if _, err := nodes.Patch(t.Context(), "infra-0", kind, []byte(patch), metav1.PatchOptions{FieldManager: "test"}); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	node := must(nodes.Get(t.Context(), "infra-0", metav1.GetOptions{}))
	for _, label := range []string{"a", "merge", "strategic", "json", "apply"} {
		if _, ok := node.Labels[label]; !ok {
			t.Errorf("label %s is missing: %v", label, node.Labels)
		}
	}
	if _, ok := node.Labels["b"]; ok || len(node.Spec.Taints) != 1 {
		t.Errorf("labels %v, taints %v", node.Labels, node.Spec.Taints)
	}
}

func TestStatus_SubresourceOnly(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	nodes := a.admin().CoreV1().Nodes()
	must(nodes.Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, metav1.CreateOptions{}))
	ready := `{"status":{"conditions":[{"type":"Ready","status":"True"}]}}`
	if node := must(nodes.Patch(t.Context(), "n", types.StrategicMergePatchType, []byte(ready), metav1.PatchOptions{})); len(node.Status.Conditions) != 0 {
		t.Errorf("the object itself took the status %v", node.Status.Conditions)
	}
	must(nodes.Patch(t.Context(), "n", types.StrategicMergePatchType, []byte(ready), metav1.PatchOptions{}, "status"))
	disk := `{"status":{"conditions":[{"type":"DiskPressure","status":"False"}]}}`
	node := must(nodes.Patch(t.Context(), "n", types.StrategicMergePatchType, []byte(disk), metav1.PatchOptions{}, "status"))
	if len(node.Status.Conditions) != 2 {
		t.Errorf("conditions %v, want both", node.Status.Conditions)
	}
}

func TestList_FiltersAndPages(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	nodes := a.admin().CoreV1().Nodes()
	for i := range 5 {
		role := []string{"master", "worker"}[i%2]
		must(nodes.Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("n%d", i), Labels: map[string]string{"role": role}}}, metav1.CreateOptions{}))
	}
	for _, test := range []struct {
		options metav1.ListOptions
		want    int
	}{
		{metav1.ListOptions{}, 5},
		{metav1.ListOptions{LabelSelector: "role=worker"}, 2},
		{metav1.ListOptions{LabelSelector: "role!=worker"}, 3},
		{metav1.ListOptions{LabelSelector: "role in (master, worker)"}, 5},
		{metav1.ListOptions{LabelSelector: "role notin (master),!x"}, 2},
		{metav1.ListOptions{LabelSelector: "x"}, 0},
		{metav1.ListOptions{FieldSelector: "metadata.name=n3"}, 1},
	} {
		if got := must(nodes.List(t.Context(), test.options)); len(got.Items) != test.want {
			t.Errorf("%+v: %d nodes, want %d", test.options, len(got.Items), test.want)
		}
	}
	first := must(nodes.List(t.Context(), metav1.ListOptions{Limit: 3}))
	second := must(nodes.List(t.Context(), metav1.ListOptions{Limit: 3, Continue: first.Continue}))
	if len(first.Items) != 3 || len(second.Items) != 2 || second.Continue != "" || second.Items[0].Name != "n3" {
		t.Errorf("pages of %d and %d nodes", len(first.Items), len(second.Items))
	}
}

func TestWatch_AfterList(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	a.space("a", "elsewhere")
	maps := a.admin().CoreV1().ConfigMaps("a")
	must(maps.Create(t.Context(), configMap("before"), metav1.CreateOptions{}))
	list := must(maps.List(t.Context(), metav1.ListOptions{}))
	watcher := must(maps.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion}))
	defer watcher.Stop()
	must(a.admin().CoreV1().ConfigMaps("elsewhere").Create(t.Context(), configMap("x"), metav1.CreateOptions{}))
	must(maps.Create(t.Context(), configMap("after"), metav1.CreateOptions{}))
	must(maps.Update(t.Context(), configMap("after", "k", "v"), metav1.UpdateOptions{}))
	if err := maps.Delete(t.Context(), "before", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		kind watch.EventType
		name string
	}{{watch.Added, "after"}, {watch.Modified, "after"}, {watch.Deleted, "before"}} {
		event := <-watcher.ResultChan()
		if event.Type != want.kind || event.Object.(*corev1.ConfigMap).Name != want.name {
			t.Errorf("event %s %v, want %v", event.Type, event.Object, want)
		}
	}
}

func TestWatch_WithoutVersion(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	a.space("a")
	maps := a.admin().CoreV1().ConfigMaps("a")
	must(maps.Create(t.Context(), configMap("before"), metav1.CreateOptions{}))
	sendInitial := true
	watcher := must(maps.Watch(t.Context(), metav1.ListOptions{SendInitialEvents: &sendInitial, AllowWatchBookmarks: true, ResourceVersionMatch: "NotOlderThan"}))
	defer watcher.Stop()
	if event := <-watcher.ResultChan(); event.Type != watch.Added {
		t.Errorf("first event %s", event.Type)
	}
	bookmark := <-watcher.ResultChan()
	if bookmark.Type != watch.Bookmark || bookmark.Object.(*corev1.ConfigMap).Annotations["k8s.io/initial-events-end"] != "true" {
		t.Errorf("second event %+v", bookmark)
	}
}

func TestWatch_ExpiredVersion(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	watcher := must(a.admin().CoreV1().ConfigMaps("a").Watch(t.Context(), metav1.ListOptions{ResourceVersion: "7"}))
	defer watcher.Stop()
	event := <-watcher.ResultChan()
	if event.Type != watch.Error || !apierrors.IsResourceExpired(apierrors.FromObject(event.Object)) {
		t.Errorf("watch: %+v", event)
	}
}

func TestAPI_RequiresDefinition(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	client := dynamic.NewForConfigOrDie(a.as("system:admin", "system:masters")).Resource(etcds)
	if _, err := client.Get(t.Context(), "cluster", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("before its definition: %v", err)
	}
	kind := kube.Kind{Group: "operator.openshift.io", Version: "v1", Resource: "etcds", Kind: "Etcd", Status: true}
	must(a.objects.Create(kube.DefinitionResource, "", kind.Definition()))
	if list := must(client.List(t.Context(), metav1.ListOptions{})); list.GetKind() != "EtcdList" || len(list.Items) != 0 {
		t.Errorf("an empty list: %v", list)
	}
	etcd := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "operator.openshift.io/v1", "kind": "Etcd", "metadata": map[string]any{"name": "cluster"}}}
	must(client.Create(t.Context(), etcd, metav1.CreateOptions{}))
	patch := []byte(`{"status":{"latestAvailableRevision":3}}`)
	must(client.Patch(t.Context(), "cluster", types.MergePatchType, patch, metav1.PatchOptions{}, "status"))
	got := must(client.Get(t.Context(), "cluster", metav1.GetOptions{}))
	if revision, _, _ := unstructured.NestedInt64(got.Object, "status", "latestAvailableRevision"); revision != 3 {
		t.Errorf("status %v", got.Object["status"])
	}
	applied := must(client.Apply(t.Context(), "other", &unstructured.Unstructured{Object: map[string]any{"apiVersion": "operator.openshift.io/v1", "kind": "Etcd",
		"metadata": map[string]any{"name": "other"}}}, metav1.ApplyOptions{FieldManager: "test"}))
	if applied.GetUID() == "" {
		t.Error("apply did not create")
	}
}

func TestCSR_Approval(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	requests := a.admin().CertificatesV1().CertificateSigningRequests()
	der := must(x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, must(certificate.NewKey())))
	content := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})
	created, err := requests.Create(t.Context(), &certificatesv1.CertificateSigningRequest{ObjectMeta: metav1.ObjectMeta{GenerateName: "csr-"},
		Spec: certificatesv1.CertificateSigningRequestSpec{Request: content, SignerName: "kubernetes.io/kubelet-serving", Username: "forged",
			Usages: []certificatesv1.KeyUsage{certificatesv1.UsageServerAuth}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if created.Spec.Username != "system:admin" || len(created.Spec.Groups) != 2 || len(created.Name) != 9 {
		t.Errorf("created %s as %s %v", created.Name, created.Spec.Username, created.Spec.Groups)
	}
	created.Status.Conditions = append(created.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue})
	approved, err := requests.UpdateApproval(t.Context(), created.Name, created, metav1.UpdateOptions{})
	if err != nil || len(approved.Status.Conditions) != 1 {
		t.Errorf("approval: %+v, %v", approved, err)
	}
	if _, err := requests.Create(t.Context(), &certificatesv1.CertificateSigningRequest{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("an empty request: %v", err)
	}
}
