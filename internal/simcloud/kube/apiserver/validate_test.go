package apiserver

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/store"
)

func TestFieldValidation_UnknownFields(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	a.space("a")
	const path, typo = "/api/v1/namespaces/a/configmaps", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"NAME"},"dat":{"a":"b"}}`
	for _, c := range []struct {
		validation, name string
		code             int
		warning          string
	}{
		{"Strict", "strict", http.StatusBadRequest, ""},
		{"Warn", "warn", http.StatusCreated, `299 - "unknown field \"dat\""`},
		{"", "default", http.StatusCreated, `299 - "unknown field \"dat\""`},
		{"Ignore", "ignore", http.StatusCreated, ""},
		{"Sometimes", "sometimes", http.StatusUnprocessableEntity, ""},
	} {
		query := ""
		if c.validation != "" {
			query = "?fieldValidation=" + c.validation
		}
		response, body := a.send(t, http.MethodPost, path+query, jsonMedia, strings.Replace(typo, "NAME", c.name, 1))
		if response.StatusCode != c.code || response.Header.Get("Warning") != c.warning || strings.Contains(body, `"dat":`) {
			t.Errorf("%q: %d, warning %q: %s", c.validation, response.StatusCode, response.Header.Get("Warning"), body)
		}
	}
	for validation, code := range map[string]int{"Strict": http.StatusUnprocessableEntity, "Warn": http.StatusOK} {
		response, body := a.send(t, http.MethodPatch, path+"/warn?fieldValidation="+validation, mergePatch, `{"dat":{"a":"b"}}`)
		if response.StatusCode != code {
			t.Errorf("patch, %s: %d %s", validation, response.StatusCode, body)
		}
	}
	response, body := a.send(t, http.MethodPatch, path+"/warn?fieldManager=test", applyPatch, strings.Replace(typo, "NAME", "warn", 1))
	if response.StatusCode != http.StatusInternalServerError || !strings.Contains(body, ".dat: field not declared in schema") {
		t.Errorf("apply: %d %s", response.StatusCode, body)
	}
}

// causes returns the causes of a Status: "field reason".
func causes(t *testing.T, body string) []string {
	t.Helper()
	var status kube.Object
	if err := json.Unmarshal([]byte(body), &status); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, cause := range status.List("details.causes") {
		list = append(list, cause.GetString("field")+" "+cause.GetString("reason"))
	}
	return list
}

func TestValidate_BuiltinKinds(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	a.space("a")
	for _, c := range []struct{ path, body, want string }{
		{"/api/v1/namespaces/a/services", `{"metadata":{"name":"s"},"spec":{"type":"Cluster"}}`, "spec.type FieldValueNotSupported,spec.ports FieldValueRequired"},
		{"/api/v1/namespaces/a/pods", `{"metadata":{"name":"p"},"spec":{"restartPolicy":"Sometimes"}}`,
			"spec.containers FieldValueRequired,spec.restartPolicy FieldValueNotSupported"},
		{"/apis/apps/v1/namespaces/a/deployments", `{"metadata":{"name":"d"},"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}}`,
			"spec.selector FieldValueRequired"},
		{"/api/v1/nodes", `{"metadata":{"name":"N"},"spec":{"taints":[{"key":"a","effect":"Never"}]}}`,
			"metadata.name FieldValueInvalid,spec.taints[0].effect FieldValueNotSupported"},
		{"/api/v1/namespaces/a/persistentvolumeclaims", `{"metadata":{"name":"c"},"spec":{}}`, "spec.accessModes FieldValueRequired,spec.resources[storage] FieldValueRequired"},
		{"/apis/batch/v1/namespaces/a/jobs", `{"metadata":{"name":"j"},"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}}`,
			"spec.template.spec.restartPolicy FieldValueRequired"},
	} {
		response, body := a.send(t, http.MethodPost, c.path, jsonMedia, c.body)
		if got := strings.Join(causes(t, body), ","); response.StatusCode != http.StatusUnprocessableEntity || got != c.want {
			t.Errorf("%s: %d with the causes %s, want %s\n%s", c.path, response.StatusCode, got, c.want, body)
		}
	}
	response, body := a.send(t, http.MethodPost, "/api/v1/namespaces/a/configmaps", jsonMedia, `{"metadata":{"name":"c"},"data":{"a":1}}`)
	if want := "json: cannot unmarshal number into Go struct field ConfigMap.data of type string"; response.StatusCode != http.StatusBadRequest || !strings.Contains(body, want) {
		t.Errorf("a number: %d %s", response.StatusCode, body)
	}
}

func TestValidate_SchemaOfADefinition(t *testing.T) {
	a := newAPI(t, store.NewMemory())
	definition := kube.Kind{Group: "example.net", Version: "v1", Resource: "gauges", Kind: "Gauge", Status: true}.Definition()
	var schema kube.Object
	if err := json.Unmarshal([]byte(`{"type":"object","required":["spec"],"properties":{"spec":{"type":"object","required":["level"],"properties":{
		"level":{"type":"integer","minimum":1,"maximum":9},"unit":{"type":"string","enum":["bar","psi"],"default":"bar"},
		"port":{"x-kubernetes-int-or-string":true},"free":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
		"tags":{"type":"object","additionalProperties":{"type":"string"}},"list":{"type":"array","maxItems":1,"items":{"type":"object","properties":{"a":{"type":"string"}}}}}}}}`), &schema); err != nil {
		t.Fatal(err)
	}
	definition["spec"].(kube.Object)["versions"].([]kube.Object)[0]["schema"] = kube.Object{"openAPIV3Schema": schema}
	must(a.objects.Create(kube.DefinitionResource, "", definition))
	const path = "/apis/example.net/v1/gauges"
	head := `{"apiVersion":"example.net/v1","kind":"Gauge","metadata":{"name":"g"}`
	for spec, want := range map[string]string{
		``:                                   "spec FieldValueRequired",
		`,"spec":{}`:                         "spec.level FieldValueRequired",
		`,"spec":{"level":"3"}`:              "spec.level FieldValueTypeInvalid",
		`,"spec":{"level":0,"unit":"mmHg"}`:  "spec.level FieldValueInvalid,spec.unit FieldValueNotSupported",
		`,"spec":{"level":1.5}`:              "spec.level FieldValueTypeInvalid",
		`,"spec":{"level":1,"tags":{"a":1}}`: "spec.tags.a FieldValueTypeInvalid",
		`,"spec":{"level":1,"list":[{},{"a":"b"}]}`: "spec.list FieldValueTooMany",
		`,"spec":{"level":1,"list":[{"a":[]}]}`:     "spec.list[0].a FieldValueTypeInvalid",
	} {
		response, body := a.send(t, http.MethodPost, path, jsonMedia, head+spec+"}")
		if got := strings.Join(causes(t, body), ","); response.StatusCode != http.StatusUnprocessableEntity || got != want {
			t.Errorf("%s: %d with the causes %s, want %s\n%s", spec, response.StatusCode, got, want, body)
		}
	}
	const good = `,"spec":{"level":2,"port":"http","free":{"x":1},"tags":{"a":"b"},"list":[{"a":"b","c":"d"}]}}`
	if response, body := a.send(t, http.MethodPost, path+"?fieldValidation=Strict", jsonMedia, head+good); response.StatusCode != http.StatusBadRequest ||
		!strings.Contains(body, `unknown field \"spec.list[0].c\"`) {
		t.Errorf("strict: %d %s", response.StatusCode, body)
	}
	response, body := a.send(t, http.MethodPost, path, jsonMedia, head+good)
	if response.StatusCode != http.StatusCreated || response.Header.Get("Warning") != `299 - "unknown field \"spec.list[0].c\""` {
		t.Errorf("warn: %d %v %s", response.StatusCode, response.Header, body)
	}
	if !strings.Contains(body, `"unit":"bar"`) || strings.Contains(body, `"c":`) || !strings.Contains(body, `"free":{"x":1}`) {
		t.Errorf("stored: %s", body)
	}
	if response, body := a.send(t, http.MethodPatch, path+"/g", mergePatch, `{"spec":{"unit":"mmHg"}}`); response.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("patch: %d %s", response.StatusCode, body)
	}
}
