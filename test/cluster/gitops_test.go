package cluster

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
	"exoshift/state"
)

// converge is a cluster of its own that knows nothing of OpenShift: what hands it over to a catalog needs none of it.
func converge(t *testing.T) *story {
	t.Helper()
	s := &story{plane: start(t)}
	s.typed, s.all = s.objects(t)
	return s
}

func manifests(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	must(t, err)
	return content
}

// became tells what became of objects, one line each.
func became(applied []state.AppliedObject) []string {
	lines := []string{}
	for _, object := range applied {
		lines = append(lines, fmt.Sprintf("%s %s %s", object.Kind, object.Name, object.Action))
	}
	return lines
}

func (w *watcher) apply(t *testing.T, content []byte, want ...string) {
	t.Helper()
	applied, err := w.Apply(t.Context(), content)
	must(t, err)
	if diff := cmp.Diff(want, became(applied)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// stewardBecame are Steward's objects in the order in which they are applied.
func stewardBecame(actions ...state.Action) []string {
	var lines []string
	for i, object := range []string{"Namespace syn", "ClusterRole syn-admin", "ClusterRoleBinding syn-steward", "ServiceAccount steward", "Secret steward", "Deployment steward"} {
		lines = append(lines, fmt.Sprintf("%s %s", object, actions[min(i, len(actions)-1)]))
	}
	return lines
}

func TestApply_StewardKeepsForeignFields(t *testing.T) {
	t.Parallel()
	s := converge(t)
	w := s.plane.watch(t, s.apiPort)
	steward := manifests(t, "steward.json")
	w.apply(t, steward, stewardBecame(state.Created)...)
	w.apply(t, steward, stewardBecame(state.Found)...)
	secrets, deployments := corev1.SchemeGroupVersion.WithResource("secrets"), appsv1.SchemeGroupVersion.WithResource("deployments")
	if got := s.field(t, secrets, "syn", "steward", "data", "token"); got != "dGhlLXRva2VuLW9mLXN0ZXdhcmQ=" {
		t.Errorf("the token is %v", got)
	}
	s.decided(t, deployments, "syn", "steward", `{"spec": {"replicas": 2}}`)
	w.apply(t, steward, stewardBecame(state.Found)...)
	if got := s.field(t, deployments, "syn", "steward", "spec", "replicas"); got != int64(2) {
		t.Errorf("what we have no opinion of was changed: %v replicas", got)
	}
	newer := strings.Replace(string(steward), "steward:v0.2.2", "steward:v0.3.0", 1)
	w.apply(t, []byte(newer), stewardBecame(state.Found, state.Found, state.Found, state.Found, state.Found, state.Updated)...)
	s.decided(t, secrets, "syn", "steward", `{"data": {"token": "dGhlaXJz"}}`)
	_, err := w.Apply(t.Context(), steward)
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "Secret syn/steward") ||
		!strings.Contains(err.Error(), ".data.token of argocd-controller") || strings.Contains(err.Error(), "dGhl") {
		t.Errorf("got %v", err)
	}
	if got := s.field(t, secrets, "syn", "steward", "data", "token"); got != "dGhlaXJz" {
		t.Error("the token of someone else was overwritten")
	}
}

func TestApply_RedactsSecretErrors(t *testing.T) {
	t.Parallel()
	s := converge(t)
	w := s.plane.watch(t, s.apiPort)
	secret := `{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "namespace": "default"}, `
	for _, rest := range []string{
		`"type": "kubernetes.io/tls", "data": {"very-secret": "dmVyeS1zZWNyZXQ="}}`, `"data": {"a": "very-secret!"}}`, `"data": {"very-secret=": "YQ=="}}`,
	} {
		if _, err := w.Apply(t.Context(), []byte(secret+rest)); err == nil || strings.Contains(err.Error(), "very-secret") || strings.Contains(err.Error(), "dmVy") {
			t.Errorf("got %v", err)
		}
	}
	_, err := w.Apply(t.Context(), []byte(strings.ReplaceAll(secret, "default", "nowhere")+`"data": {}}`))
	if !fault.Is(err, fault.Transient) || !strings.Contains(err.Error(), `"nowhere" does not exist yet`) {
		t.Errorf("in no namespace: %v", err)
	}
}

func TestApply_ResumesAfterInterrupt(t *testing.T) {
	t.Parallel()
	s := converge(t)
	g := s.gate(t)
	w := s.plane.watch(t, g.port)
	steward := manifests(t, "steward.json")
	s.manager.stop(syscall.SIGTERM)
	g.interfere(once(isApplyOf("serviceaccounts"), func() { s.api.stop(syscall.SIGKILL) }))
	applied, err := w.Apply(t.Context(), steward)
	if !fault.Is(err, fault.Transient) || len(applied) != 3 {
		t.Errorf("%v, %v", became(applied), err)
	}
	g.interfere(nil)
	s.serve(t)
	s.await(t)
	w.apply(t, steward, stewardBecame(state.Found, state.Found, state.Found, state.Created)...)
}

func isApplyOf(resource string) func(*http.Request) bool {
	return func(r *http.Request) bool {
		return r.Method == http.MethodPatch && strings.Contains(r.URL.Path, "/"+resource+"/")
	}
}
