package apiserver

import (
	"strings"
	"testing"

	"exoshift/internal/simcloud/store"
)

func TestOpenAPI_FieldValidation(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	ask := func(path string) string {
		t.Helper()
		return string(must(a.admin().Discovery().RESTClient().Get().AbsPath(path).DoRaw(t.Context())))
	}
	for _, group := range []string{`"api/v1":{"serverRelativeURL":"/openapi/v3/api/v1"}`, `"apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1"}`} {
		if got := ask("/openapi/v3"); !strings.Contains(got, group) {
			t.Errorf("lacks %s: %s", group, got)
		}
	}
	got := ask("/openapi/v3/apis/apps/v1")
	for _, part := range []string{`"/apis/apps/v1/deployments/{name}":{"patch"`, `"kind":"Deployment"`, `"name":"fieldValidation"`} {
		if !strings.Contains(got, part) {
			t.Errorf("lacks %s: %s", part, got)
		}
	}
	if strings.Contains(got, "configmaps") {
		t.Error("describes another group")
	}
}
