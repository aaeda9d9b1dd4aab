package apiserver

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"exoshift/internal/simcloud/store"
)

// wish applies a ConfigMap with these lines of data.
func wish(t *testing.T, client kubernetes.Interface, manager string, force bool, data ...string) (map[string]string, string, error) {
	t.Helper()
	patch := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  " + strings.Join(data, "\n  ")
	got, err := client.CoreV1().ConfigMaps("default").Patch(t.Context(), "a", types.ApplyPatchType, []byte(patch),
		metav1.PatchOptions{FieldManager: manager, Force: &force})
	if err != nil {
		return nil, "", err
	}
	return got.Data, got.ResourceVersion, nil
}

func TestApply_RemovesUnappliedFields(t *testing.T) {
	client := newAPI(t, store.NewMemory()).admin()
	must3(t)(wish(t, client, "one", false, "a: '1'", "b: '2'"))
	must3(t)(wish(t, client, "two", false, "b: '2'", "c: '3'"))
	data, version, err := wish(t, client, "one", false, "d: '4'")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"b": "2", "c": "3", "d": "4"}, data); diff != "" {
		t.Error(diff)
	}
	if _, again, err := wish(t, client, "one", false, "d: '4'"); err != nil || again != version {
		t.Errorf("the same again: version %s after %s, %v", again, version, err)
	}
}

func must3(t *testing.T) func(map[string]string, string, error) {
	return func(_ map[string]string, _ string, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestApply_ConflictUnlessForced(t *testing.T) {
	client := newAPI(t, store.NewMemory()).admin()
	must3(t)(wish(t, client, "one", false, "a: '1'", "b: '2'"))
	_, err := client.CoreV1().ConfigMaps("default").Patch(t.Context(), "a", types.MergePatchType, []byte(`{"data":{"b":"3"}}`), metav1.PatchOptions{FieldManager: "editor"})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = wish(t, client, "two", false, "a: '9'")
	if want := `Apply failed with 1 conflict: conflict with "one": .data.a`; !apierrors.IsConflict(err) || err.Error() != want {
		t.Errorf("%v", err)
	}
	var status *apierrors.StatusError
	if !errors.As(err, &status) || len(status.ErrStatus.Details.Causes) != 1 || status.ErrStatus.Details.Causes[0].Field != ".data.a" {
		t.Errorf("%+v", err)
	}
	_, _, err = wish(t, client, "two", false, "a: '9'", "b: '9'")
	want := "Apply failed with 2 conflicts: conflicts with \"editor\" using v1:\n- .data.b\nconflicts with \"one\":\n- .data.a"
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	data, _, err := wish(t, client, "two", true, "a: '9'", "b: '9'")
	if diff := cmp.Diff(map[string]string{"a": "9", "b": "9"}, data); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if _, _, err = wish(t, client, "one", false, "a: '1'"); err == nil || !strings.HasSuffix(err.Error(), `conflict with "two": .data.a`) {
		t.Errorf("the first manager's next apply: %v", err)
	}
}

func TestApply_RequiresManager(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	_, err := a.admin().CoreV1().ConfigMaps("default").Patch(t.Context(), "a", types.ApplyPatchType,
		[]byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}"), metav1.PatchOptions{})
	if err == nil || !strings.Contains(err.Error(), "fieldManager: Required value") {
		t.Error(err)
	}
}
