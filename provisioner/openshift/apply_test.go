package openshift_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/kube/apiserver"
	"exoshift/state"
)

// agent has access last: its parts need each other.
const agent = `{"apiVersion": "v1", "kind": "List", "items": [
{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "agent", "namespace": "syn", "creationTimestamp": null},
 "spec": {"selector": {"matchLabels": {"app": "agent"}}, "template": {"metadata": {"labels": {"app": "agent"}}, "spec": {"containers": [{"name": "agent", "image": "agent:1"}]}}}, "status": {}},
{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "agent", "namespace": "syn"}, "stringData": {"token": "very-secret"}},
{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "agent", "namespace": "syn"}},
{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "agent"}, "rules": []},
{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "syn"}}]}`

func actions(applied []state.AppliedObject) []string {
	var texts []string
	for _, object := range applied {
		texts = append(texts, fmt.Sprintf("%s %s/%s %s", object.Kind, object.Namespace, object.Name, object.Action))
	}
	return texts
}

func (r *rehearsal) apply(t *testing.T, manifests string, want ...string) {
	t.Helper()
	applied, err := r.Apply(t.Context(), []byte(manifests))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, actions(applied)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestApply_InOrderAndOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.apply(t, agent, "Namespace /syn created", "ServiceAccount syn/agent created", "ClusterRole /agent created",
			"Secret syn/agent created", "Deployment syn/agent created")
		r.apply(t, agent, "Namespace /syn found", "ServiceAccount syn/agent found", "ClusterRole /agent found",
			"Secret syn/agent found", "Deployment syn/agent found")
		secret, _ := r.objects.Get("secrets", "syn", "agent")
		if token, _ := base64.StdEncoding.DecodeString(secret.GetString("data.token")); string(token) != "very-secret" {
			t.Errorf("the secret holds %q", token)
		}
		newer := strings.Replace(agent, "agent:1", "agent:2", 1)
		r.apply(t, newer, "Namespace /syn found", "ServiceAccount syn/agent found", "ClusterRole /agent found",
			"Secret syn/agent found", "Deployment syn/agent updated")
	})
}

// aKind defines a kind after an object of it.
const aKind = `---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: root, namespace: syn}
spec: {project: syn}
---
# nothing but a comment
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: applications.argoproj.io}
spec:
  group: argoproj.io
  scope: Namespaced
  names: {plural: applications, singular: application, kind: Application, listKind: ApplicationList}
  versions: [{name: v1alpha1, served: true, storage: true}]
---
apiVersion: v1
kind: Namespace
metadata: {name: syn}
`

func TestApply_KindWithObject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.apply(t, aKind, "CustomResourceDefinition /applications.argoproj.io created", "Namespace /syn created", "Application syn/root created")
	})
}

func TestApply_WaitsForEstablishedKind(t *testing.T) {
	for name, timeout := range map[string]int{"soon": 3, "never": 1000} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := rehearse(t)
				r.instead = func(w http.ResponseWriter, q *http.Request, api *apiserver.Server) {
					if !strings.Contains(q.URL.Path, "/namespaces/syn/applications/") || timeout == 0 {
						api.ServeHTTP(w, q)
						return
					}
					timeout--
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(http.StatusTooManyRequests)
					_, _ = io.WriteString(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 429, "reason": "TooManyRequests", "message": "storage is (re)initializing"}`)
				}
				applied, err := r.Apply(t.Context(), []byte(aKind))
				if name == "soon" && (err != nil || len(applied) != 3) || name == "never" && !fault.Is(err, fault.Transient) {
					t.Errorf("%v, %v", actions(applied), err)
				}
			})
		})
	}
}

func TestApply_UnservedKindBlocksNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		object, rest, _ := strings.Cut(strings.TrimPrefix(aKind, "---\n"), "---\n")
		_, namespace, _ := strings.Cut(rest, "v1alpha1, served: true, storage: true}]\n")
		applied, err := r.Apply(t.Context(), []byte(object+namespace))
		if !fault.Is(err, fault.Transient) || !strings.Contains(err.Error(), "Application of argoproj.io/v1alpha1") || len(applied) != 1 {
			t.Errorf("%v, %v", actions(applied), err)
		}
		kind := kube.Kind{Group: "argoproj.io", Version: "v1alpha1", Resource: "applications", Kind: "Application", Namespaced: true}
		r.put(t, "customresourcedefinitions.apiextensions.k8s.io", "", kind.Definition())
		r.apply(t, object+namespace, "Namespace /syn found", "Application syn/root created")
	})
}

func TestApply_ResumesAfterInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		var requests int
		r.instead = func(w http.ResponseWriter, q *http.Request, api *apiserver.Server) {
			if q.Method == http.MethodPatch {
				requests++
			}
			if q.Method == http.MethodPatch && requests == 3 {
				panic(http.ErrAbortHandler)
			}
			api.ServeHTTP(w, q)
		}
		applied, err := r.Apply(t.Context(), []byte(agent))
		if !fault.Is(err, fault.Transient) || len(applied) != 2 {
			t.Errorf("%v, %v", actions(applied), err)
		}
		r.apply(t, agent, "Namespace /syn found", "ServiceAccount syn/agent found", "ClusterRole /agent created",
			"Secret syn/agent created", "Deployment syn/agent created")
	})
}

func (r *rehearsal) contradict(code int, status string) {
	r.instead = func(w http.ResponseWriter, q *http.Request, api *apiserver.Server) {
		if q.Method != http.MethodPatch {
			api.ServeHTTP(w, q)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = fmt.Fprintf(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": %d, %s}`, code, status)
	}
}

func TestApply_RefusesForeignFields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.contradict(http.StatusConflict, `"reason": "Conflict", "message": "Apply failed with 2 conflicts", "details": {"causes": [
			{"reason": "FieldManagerConflict", "message": "conflict with \"kubectl\" using v1", "field": ".metadata.labels.a"},
			{"reason": "FieldManagerConflict", "message": "conflict with \"argocd\u001b[31m\" using v1", "field": ".metadata.labels.b"}]}`)
		_, err := r.Apply(t.Context(), []byte(agent))
		want := `apply Namespace syn: others own some of its fields: .metadata.labels.a of kubectl, .metadata.labels.b of argocd`
		if !fault.Is(err, fault.Conflict) || err.Error() != want {
			t.Errorf("got %v", err)
		}
	})
}

func TestApply_ErrorHasNoSecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.put(t, "namespaces", "", named("syn"))
		r.contradict(http.StatusUnprocessableEntity, `"reason": "Invalid", "message": "data[token]: Invalid value: \"very-secret\""`)
		secret := `{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "agent", "namespace": "syn"}, "stringData": {"token": "very-secret"}}`
		if _, err := r.Apply(t.Context(), []byte(secret)); err == nil || strings.Contains(err.Error(), "very-secret") {
			t.Errorf("got %v", err)
		}
	})
}

func TestApply_TruncatesLongError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.contradict(http.StatusUnprocessableEntity, `"reason": "Invalid", "message": "`+strings.Repeat("wrong ", 1000)+`"`)
		if _, err := r.Apply(t.Context(), []byte(agent)); err == nil || len(err.Error()) > 600 {
			t.Errorf("got %v", err)
		}
	})
}

func TestApply_RefusesInvalidBeforeRequest(t *testing.T) {
	for name, manifests := range map[string]string{
		"not YAML":             "token: very-secret\n  wrong: [",
		"a list":               "- very-secret",
		"a text":               "very-secret",
		"no kind":              "apiVersion: v1\nmetadata: {name: very-secret}",
		"no name":              "apiVersion: v1\nkind: Secret\nstringData: {token: very-secret}",
		"an item that is none": `{"apiVersion": "v1", "kind": "List", "items": ["very-secret"]}`,
		"a list in a list":     `{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "List", "items": []}]}`,
		"too many":             strings.Repeat("---\napiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n", 2001),
		"too much":             strings.Repeat(" ", 17<<20),
	} {
		t.Run(name, func(t *testing.T) {
			r := rehearse(t)
			_, err := r.Apply(t.Context(), []byte(manifests))
			if !fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), "very-secret") || r.requests.Load() != 0 {
				t.Errorf("%v after %d requests", err, r.requests.Load())
			}
		})
	}
}

func TestApply_RequiresNamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		_, err := r.Apply(t.Context(), []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}"))
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("without one: %v", err)
		}
		_, err = r.Apply(t.Context(), []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: nowhere}"))
		if !fault.Is(err, fault.Transient) || !strings.Contains(err.Error(), `"nowhere" does not exist yet`) {
			t.Errorf("in one that does not exist: %v", err)
		}
	})
}
