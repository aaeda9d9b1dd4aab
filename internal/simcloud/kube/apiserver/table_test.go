package apiserver

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/store"
)

// shown returns the cells of a table.
func shown(t *testing.T, o *kube.Objects, path string) (columns []string, rows [][]string) {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	request.Header.Set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json")
	parsed, err := parseRequest(o, request)
	if err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	serve := resources{Objects: o}.serveList
	if parsed.verb == "get" {
		serve = resources{Objects: o}.serveGet
	}
	if err := serve(answer, parsed); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Kind    string
		Columns []struct{ Name string } `json:"columnDefinitions"`
		Rows    []struct {
			Cells  []string
			Object kube.Object
		}
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil || got.Kind != "Table" {
		t.Fatalf("%v: %s", err, answer.Body)
	}
	for _, c := range got.Columns {
		columns = append(columns, c.Name)
	}
	for _, row := range got.Rows {
		rows = append(rows, row.Cells)
		if row.Object.Name() != row.Cells[0] {
			t.Errorf("the row of %s carries %s", row.Cells[0], row.Object.Name())
		}
	}
	return columns, rows
}

func TestTable_Columns(t *testing.T) {
	now := time.Now().UTC()
	o := must(kube.Load(store.NewMemory(), "objects", func() time.Time { return now }))
	must(o.Create(kube.DefinitionResource, "", kube.Kind{Group: "config.openshift.io", Version: "v1", Resource: "clusteroperators", Kind: "ClusterOperator"}.Definition()))
	condition := func(kind, status string) kube.Object {
		return kube.Object{"type": kind, "status": status, "lastTransitionTime": now.Format(time.RFC3339), "message": "why " + kind}
	}
	for resource, object := range map[string]kube.Object{
		"nodes": {"metadata": kube.Object{"name": "infra-0", "labels": kube.Object{rolePrefix + "worker": "", rolePrefix + "infra": ""}},
			"spec":   kube.Object{"unschedulable": true},
			"status": kube.Object{"conditions": []kube.Object{condition("Ready", "True")}, "nodeInfo": kube.Object{"kubeletVersion": "v1.33.5"}}},
		kube.CSRResource: {"metadata": kube.Object{"name": "csr-1"}, "spec": kube.Object{"signerName": "kubernetes.io/kubelet-serving", "username": "system:node:infra-0"}},
		"clusteroperators.config.openshift.io": {"metadata": kube.Object{"name": "etcd"}, "status": kube.Object{
			"versions":   []kube.Object{{"name": "operator", "version": "4.20.5"}},
			"conditions": []kube.Object{condition("Available", "True"), condition("Progressing", "False"), condition("Degraded", "False")}}},
	} {
		must(o.Create(resource, "", object))
	}
	now = now.Add(150 * time.Second)
	for path, want := range map[string][2][]string{
		"/api/v1/nodes": {{"Name", "Status", "Roles", "Age", "Version"}, {"infra-0", "Ready,SchedulingDisabled", "infra,worker", "2m30s", "v1.33.5"}},
		"/apis/certificates.k8s.io/v1/certificatesigningrequests/csr-1": {{"Name", "Age", "SignerName", "Requestor", "Condition"},
			{"csr-1", "2m30s", "kubernetes.io/kubelet-serving", "system:node:infra-0", "Pending"}},
		"/apis/config.openshift.io/v1/clusteroperators": {{"Name", "Version", "Available", "Progressing", "Degraded", "Since", "Message"},
			{"etcd", "4.20.5", "True", "False", "False", "2m30s", "why Degraded"}},
		"/apis/apiextensions.k8s.io/v1/customresourcedefinitions": {{"Name", "Age"}, {"clusteroperators.config.openshift.io", "2m30s"}},
	} {
		columns, rows := shown(t, o, path)
		if diff := cmp.Diff(want, [2][]string{columns, rows[0]}); len(rows) != 1 || diff != "" {
			t.Errorf("%s: %d rows (-want +got)\n%s", path, len(rows), diff)
		}
	}
}

func TestTable_ColumnsOfNamespacedObjects(t *testing.T) {
	now := time.Now().UTC()
	o := must(kube.Load(store.NewMemory(), "objects", func() time.Time { return now }))
	must(o.Create(namespaces, "", kube.Object{"metadata": kube.Object{"name": "a"}, "status": kube.Object{"phase": "Active"}}))
	for resource, object := range map[string]kube.Object{
		"configmaps":       {"data": kube.Object{"x": "1", "y": "2"}},
		"secrets":          {"type": "Opaque", "data": kube.Object{"x": "MQ=="}},
		"deployments.apps": {"spec": kube.Object{"replicas": 2}, "status": kube.Object{"readyReplicas": 1, "updatedReplicas": 2}},
	} {
		object["metadata"] = kube.Object{"name": "one"}
		must(o.Create(resource, "a", object))
	}
	for path, want := range map[string][2][]string{
		"/api/v1/namespaces":                     {{"Name", "Status", "Age"}, {"a", "Active", "0s"}},
		"/api/v1/namespaces/a/configmaps":        {{"Name", "Data", "Age"}, {"one", "2", "0s"}},
		"/api/v1/namespaces/a/secrets":           {{"Name", "Type", "Data", "Age"}, {"one", "Opaque", "1", "0s"}},
		"/apis/apps/v1/namespaces/a/deployments": {{"Name", "Ready", "Up-to-date", "Available", "Age"}, {"one", "1/2", "2", "0", "0s"}},
	} {
		columns, rows := shown(t, o, path)
		if diff := cmp.Diff(want, [2][]string{columns, rows[0]}); len(rows) != 1 || diff != "" {
			t.Errorf("%s: %d rows (-want +got)\n%s", path, len(rows), diff)
		}
	}
}

func TestFormatAge_LikeKubectl(t *testing.T) {
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for ago, want := range map[time.Duration]string{
		119 * time.Second: "119s", 2 * time.Minute: "2m", 9*time.Minute + 59*time.Second: "9m59s", 11*time.Minute + time.Second: "11m",
		3 * time.Hour: "3h", 3*time.Hour + 4*time.Minute: "3h4m", 9*time.Hour + time.Minute: "9h", 49 * time.Hour: "2d", -time.Hour: "0s",
	} {
		if got := formatAge(now.Add(-ago).Format(time.RFC3339), now); got != want {
			t.Errorf("%s ago: %s, not %s", ago, got, want)
		}
	}
}

func TestListResources_ShortNames(t *testing.T) {
	listed := listResources([]kube.Kind{kube.FindBuiltinKind(kube.CSRResource)}, "certificates.k8s.io/v1")
	if diff := cmp.Diff([]string{"csr"}, listed[0]["shortNames"]); diff != "" {
		t.Error(diff)
	}
}
