package table

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/store"
)

// shown returns the columns of a table that are not only in the wide output, and their cells.
func shown(t *testing.T, o *kube.Objects, resource string) (columns []string, rows [][]string) {
	t.Helper()
	kind, ok := o.FindKind(resource)
	if !ok {
		t.Fatalf("%s is not served", resource)
	}
	definition, _ := o.Get(kube.DefinitionResource, "", resource)
	objects := o.List(resource, "")
	content, err := json.Marshal(Render(kind, definition, objects, kube.Object{}, o.Now()))
	if err != nil {
		t.Fatal(err)
	}
	var got metav1.Table
	if err := json.Unmarshal(content, &got); err != nil || got.Kind != "Table" {
		t.Fatalf("%v: %s", err, content)
	}
	for _, c := range got.ColumnDefinitions {
		if c.Priority == 0 {
			columns = append(columns, c.Name)
		}
	}
	for n, row := range got.Rows {
		var cells []string
		for i, c := range got.ColumnDefinitions {
			if c.Priority == 0 {
				cells = append(cells, fmt.Sprint(row.Cells[i]))
			}
		}
		rows = append(rows, cells)
		var object kube.Object
		if err := json.Unmarshal(row.Object.Raw, &object); err != nil || object.Name() != objects[n].Name() {
			t.Errorf("row %d carries %s: %v", n, row.Object.Raw, err)
		}
	}
	return columns, rows
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
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
	for resource, want := range map[string][2][]string{
		"nodes": {{"Name", "Status", "Roles", "Age", "Version"}, {"infra-0", "Ready,SchedulingDisabled", "infra,worker", "2m30s", "v1.33.5"}},
		kube.CSRResource: {{"Name", "Age", "SignerName", "Requestor", "RequestedDuration", "Condition"},
			{"csr-1", "2m30s", "kubernetes.io/kubelet-serving", "system:node:infra-0", "<none>", "Pending"}},
		"clusteroperators.config.openshift.io": {{"Name", "Version", "Available", "Progressing", "Degraded", "Since", "Message"},
			{"etcd", "4.20.5", "True", "False", "False", "2m30s", "why Degraded"}},
		kube.DefinitionResource: {{"Name", "Created At"}, {"clusteroperators.config.openshift.io", now.Add(-150 * time.Second).Format(time.RFC3339)}},
	} {
		columns, rows := shown(t, o, resource)
		if diff := cmp.Diff(want, [2][]string{columns, rows[0]}); len(rows) != 1 || diff != "" {
			t.Errorf("%s: %d rows (-want +got)\n%s", resource, len(rows), diff)
		}
	}
}

func TestTable_ColumnsOfNamespacedObjects(t *testing.T) {
	now := time.Now().UTC()
	o := must(kube.Load(store.NewMemory(), "objects", func() time.Time { return now }))
	must(o.Create("namespaces", "", kube.Object{"metadata": kube.Object{"name": "a"}, "status": kube.Object{"phase": "Active"}}))
	for resource, object := range map[string]kube.Object{
		"configmaps": {"data": kube.Object{"x": "1", "y": "2"}},
		"secrets":    {"type": "Opaque", "data": kube.Object{"x": "MQ=="}},
		"services": {"spec": kube.Object{"type": "LoadBalancer", "clusterIP": "172.30.0.9", "ports": []kube.Object{
			{"port": 80, "nodePort": 30080, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}}}},
		"events": {"type": "Warning", "reason": "Failed", "message": "it failed\n", "lastTimestamp": now.Format(time.RFC3339),
			"involvedObject": kube.Object{"kind": "Pod", "name": "x"}},
		"persistentvolumeclaims": {"spec": kube.Object{"volumeName": "pv-1", "storageClassName": "ssd"}, "status": kube.Object{
			"phase": "Bound", "capacity": kube.Object{"storage": "10Gi"}, "accessModes": []string{"ReadWriteOnce"}}},
		"daemonsets.apps":  {"status": kube.Object{"desiredNumberScheduled": 3, "numberReady": 2}},
		"deployments.apps": {"spec": kube.Object{"replicas": 2}, "status": kube.Object{"readyReplicas": 1, "updatedReplicas": 2}},
	} {
		object["metadata"] = kube.Object{"name": "one"}
		must(o.Create(resource, "a", object))
	}
	for resource, want := range map[string][2][]string{
		"namespaces":       {{"Name", "Status", "Age"}, {"a", "Active", "0s"}},
		"configmaps":       {{"Name", "Data", "Age"}, {"one", "2", "0s"}},
		"secrets":          {{"Name", "Type", "Data", "Age"}, {"one", "Opaque", "1", "0s"}},
		"deployments.apps": {{"Name", "Ready", "Up-to-date", "Available", "Age"}, {"one", "1/2", "2", "0", "0s"}},
		"services": {{"Name", "Type", "Cluster-IP", "External-IP", "Port(s)", "Age"},
			{"one", "LoadBalancer", "172.30.0.9", "<pending>", "80:30080/TCP,53/UDP", "0s"}},
		"events": {{"Last Seen", "Type", "Reason", "Object", "Message"}, {"0s", "Warning", "Failed", "pod/x", "it failed"}},
		"persistentvolumeclaims": {{"Name", "Status", "Volume", "Capacity", "Access Modes", "StorageClass", "VolumeAttributesClass", "Age"},
			{"one", "Bound", "pv-1", "10Gi", "RWO", "ssd", "<unset>", "0s"}},
		"daemonsets.apps": {{"Name", "Desired", "Current", "Ready", "Up-to-date", "Available", "Node Selector", "Age"},
			{"one", "3", "0", "2", "0", "0", "<none>", "0s"}},
	} {
		columns, rows := shown(t, o, resource)
		if diff := cmp.Diff(want, [2][]string{columns, rows[0]}); len(rows) != 1 || diff != "" {
			t.Errorf("%s: %d rows (-want +got)\n%s", resource, len(rows), diff)
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

func TestTable_ColumnsOfADefinition(t *testing.T) {
	now := time.Now().UTC()
	o := must(kube.Load(store.NewMemory(), "objects", func() time.Time { return now }))
	definition := kube.Kind{Group: "example.net", Version: "v1", Resource: "gauges", Kind: "Gauge"}.Definition()
	definition["spec"].(kube.Object)["versions"].([]kube.Object)[0]["additionalPrinterColumns"] = []kube.Object{
		{"name": "Ready", "type": "string", "jsonPath": `.status.conditions[?(@.type=="Ready")].status`},
		{"name": "Level", "type": "integer", "jsonPath": ".spec.level"},
		{"name": "First", "type": "string", "jsonPath": ".spec.list[0].name"},
		{"name": "Team", "type": "string", "jsonPath": ".metadata.labels.example\\.net/team"},
		{"name": "Hidden", "type": "string", "jsonPath": ".spec.level", "priority": 1},
		{"name": "Since", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
	}
	must(o.Create(kube.DefinitionResource, "", definition))
	must(o.Create("gauges.example.net", "", kube.Object{"metadata": kube.Object{"name": "a"},
		"spec":   kube.Object{"level": 7, "list": []kube.Object{{"name": "x"}}},
		"status": kube.Object{"conditions": []kube.Object{{"type": "Other", "status": "False"}, {"type": "Ready", "status": "True"}}}}))
	columns, rows := shown(t, o, "gauges.example.net")
	want := [2][]string{{"Name", "Ready", "Level", "First", "Team", "Since"}, {"a", "True", "7", "x", "<nil>", "0s"}}
	if diff := cmp.Diff(want, [2][]string{columns, rows[0]}); diff != "" {
		t.Error(diff)
	}
}
