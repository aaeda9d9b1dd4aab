package apiserver

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/store"
)

const protobufMedia = "application/vnd.kubernetes.protobuf"

// inProtobuf is a typed client that sends protobuf, and accepts nothing else.
func (a *api) inProtobuf(t *testing.T) *kubernetes.Clientset {
	t.Helper()
	config := a.as("system:admin", "system:masters")
	config.ContentConfig = rest.ContentConfig{ContentType: protobufMedia, AcceptContentTypes: protobufMedia}
	return kubernetes.NewForConfigOrDie(config)
}

func TestProtobuf_WritesOfATypedClient(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	a.space("a")
	client, ctx := a.inProtobuf(t), t.Context()
	maps := client.CoreV1().ConfigMaps("a")
	made, err := maps.Create(ctx, configMap("one", "key", "value"), metav1.CreateOptions{})
	if err != nil || made.UID == "" || made.Data["key"] != "value" {
		t.Fatalf("create: %+v, %v", made, err)
	}
	made.Data["key"], made.BinaryData = "changed", map[string][]byte{"raw": {0, 255}}
	if changed, err := maps.Update(ctx, made, metav1.UpdateOptions{}); err != nil || changed.Data["key"] != "changed" || string(changed.BinaryData["raw"]) != "\x00\xff" {
		t.Errorf("update: %+v, %v", changed, err)
	}
	if _, err := maps.Update(ctx, made, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("update of an old version: %v", err)
	}
	secret, err := client.CoreV1().Secrets("a").Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}, StringData: map[string]string{"k": "v"}}, metav1.CreateOptions{})
	if err != nil || secret.Type != corev1.SecretTypeOpaque || string(secret.Data["k"]) != "v" {
		t.Errorf("secret: %+v, %v", secret, err)
	}
	now, holder := metav1.NewMicroTime(time.Now().UTC().Truncate(time.Microsecond)), "me"
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "leader"}, Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, RenewTime: &now}}
	if got, err := client.CoordinationV1().Leases("a").Create(ctx, lease, metav1.CreateOptions{}); err != nil || !got.Spec.RenewTime.Time.Equal(now.Time) {
		t.Errorf("lease: %+v, %v", got, err)
	}
	event := &corev1.Event{ObjectMeta: metav1.ObjectMeta{GenerateName: "e-"}, Reason: "Tested", InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: "a"}}
	if got, err := client.CoreV1().Events("a").Create(ctx, event, metav1.CreateOptions{}); err != nil || got.Reason != "Tested" {
		t.Errorf("event: %+v, %v", got, err)
	}
	node := must(client.CoreV1().Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, metav1.CreateOptions{}))
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	if got, err := client.CoreV1().Nodes().UpdateStatus(ctx, node, metav1.UpdateOptions{}); err != nil || len(got.Status.Conditions) != 1 {
		t.Errorf("status: %+v, %v", got, err)
	}
}

func TestProtobuf_ListsWatchesAndErrors(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	a.space("a")
	ctx := t.Context()
	maps := a.inProtobuf(t).CoreV1().ConfigMaps("a")
	must(maps.Create(ctx, configMap("one"), metav1.CreateOptions{}))
	list, err := maps.List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || list.Items[0].Name != "one" || list.ResourceVersion == "" {
		t.Fatalf("list: %+v, %v", list, err)
	}
	watcher := must(maps.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion}))
	defer watcher.Stop()
	if err := maps.Delete(ctx, "one", metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions("another")}); !apierrors.IsConflict(err) {
		t.Errorf("delete another: %v", err)
	}
	uid := string(list.Items[0].UID)
	if err := maps.Delete(ctx, "one", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}, Preconditions: metav1.NewUIDPreconditions(uid)}); err != nil {
		t.Errorf("dry run: %v", err)
	}
	if err := maps.Delete(ctx, "one", metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(uid)}); err != nil {
		t.Errorf("delete: %v", err)
	}
	if event := <-watcher.ResultChan(); event.Type != watch.Deleted || event.Object.(*corev1.ConfigMap).Name != "one" {
		t.Errorf("event %s %v", event.Type, event.Object)
	}
	if _, err := maps.Get(ctx, "one", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("get after delete: %v", err)
	}
}

// send makes a request as the administrator and returns what is answered.
func (a *api) send(t *testing.T, method, path, content, body string, header ...string) (*http.Response, string) {
	t.Helper()
	client := must(rest.HTTPClientFor(a.as("system:admin", "system:masters")))
	request := must(http.NewRequestWithContext(t.Context(), method, "https://"+apiHost+":6443"+path, strings.NewReader(body)))
	request.Header.Set("Content-Type", content)
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response := must(client.Do(request))
	defer func() { _ = response.Body.Close() }()
	return response, string(must(io.ReadAll(response.Body)))
}

func TestProtobuf_AddedKindsHaveNone(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	kind := kube.Kind{Group: "operator.openshift.io", Version: "v1", Resource: "etcds", Kind: "Etcd"}
	must(a.objects.Create(kube.DefinitionResource, "", kind.Definition()))
	const path = "/apis/operator.openshift.io/v1/etcds"
	if response, body := a.send(t, http.MethodPost, path, protobufMedia, "k8s\x00"); response.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("create: %d %s", response.StatusCode, body)
	}
	if response, body := a.send(t, http.MethodGet, path, "", "", "Accept", protobufMedia); response.StatusCode != http.StatusNotAcceptable {
		t.Errorf("list: %d %s", response.StatusCode, body)
	}
	if response, body := a.send(t, http.MethodGet, path, "", "", "Accept", protobufMedia+",application/json"); response.StatusCode != http.StatusOK || !strings.HasPrefix(body, "{") {
		t.Errorf("list: %d %s", response.StatusCode, body)
	}
	if response, body := a.send(t, http.MethodGet, "/api/v1/nodes", "", "", "Accept", "text/html"); response.StatusCode != http.StatusNotAcceptable {
		t.Errorf("list nodes: %d %s", response.StatusCode, body)
	}
}
