package apiserver

import (
	"net/http"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
)

type column struct {
	name string
	cell func(o kube.Object, now time.Time) string
}

// isTableRequest reports whether the client accepts tables, as kubectl does.
func isTableRequest(r *http.Request) bool {
	accepted, _, _ := strings.Cut(r.Header.Get("Accept"), ",")
	return strings.Contains(accepted, "as=Table")
}

// renderTable includes the objects in their rows.
func renderTable(kind kube.Kind, objects []kube.Object, metadata any, now time.Time) kube.Object {
	columns := listColumns(kind)
	definitions, rows := make([]kube.Object, len(columns)), make([]kube.Object, len(objects))
	for i, c := range columns {
		definitions[i] = kube.Object{"name": c.name, "type": "string", "format": "", "description": "", "priority": 0}
	}
	definitions[0]["format"] = "name"
	for i, o := range objects {
		cells := make([]string, len(columns))
		for n, c := range columns {
			cells[n] = c.cell(o, now)
		}
		rows[i] = kube.Object{"cells": cells, "object": o}
	}
	return kube.Object{"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": metadata, "columnDefinitions": definitions, "rows": rows}
}

// listColumns returns the columns of Kubernetes and of OpenShift's definitions, for the kinds that are useful during an
// installation.
func listColumns(kind kube.Kind) []column {
	name := column{"Name", func(o kube.Object, _ time.Time) string { return o.Name() }}
	age := column{"Age", func(o kube.Object, now time.Time) string {
		return formatAge(o.GetString("metadata.creationTimestamp"), now)
	}}
	switch kind.GroupResource() {
	case "nodes":
		return []column{name, {"Status", formatNodeStatus}, {"Roles", formatRoles}, age, newColumn("Version", "status.nodeInfo.kubeletVersion")}
	case "pods":
		return []column{name, {"Ready", countReadyContainers}, {"Status", formatPodStatus}, age}
	case namespaces:
		return []column{name, newColumn("Status", "status.phase"), age}
	case "configmaps":
		return []column{name, {"Data", countData}, age}
	case "secrets":
		return []column{name, newColumn("Type", "type"), {"Data", countData}, age}
	case "deployments.apps":
		return []column{name, {"Ready", countReadyReplicas}, newCountColumn("Up-to-date", "status.updatedReplicas"),
			newCountColumn("Available", "status.availableReplicas"), age}
	case kube.CSRResource:
		return []column{name, age, newColumn("SignerName", "spec.signerName"), newColumn("Requestor", "spec.username"), {"Condition", requestCondition}}
	case "clusteroperators.config.openshift.io":
		return []column{name, {"Version", formatOperatorVersion}, newStateColumn("Available"), newStateColumn("Progressing"), newStateColumn("Degraded"),
			newSinceColumn("Available"), newMessageColumn("Message", "Degraded")}
	case "clusterversions.config.openshift.io":
		return []column{name, {"Version", releaseVersion}, newStateColumn("Available"), newStateColumn("Progressing"),
			newSinceColumn("Progressing"), newMessageColumn("Status", "Progressing")}
	}
	return []column{name, age}
}

func newColumn(name, path string) column {
	return column{name, func(o kube.Object, _ time.Time) string { return o.GetString(path) }}
}

func newCountColumn(name, path string) column {
	return column{name, func(o kube.Object, _ time.Time) string { return formatCount(o.Get(path)) }}
}

func newStateColumn(kind string) column {
	return column{kind, func(o kube.Object, _ time.Time) string { return o.Condition(kind).GetString("status") }}
}

func newMessageColumn(name, kind string) column {
	return column{name, func(o kube.Object, _ time.Time) string { return o.Condition(kind).GetString("message") }}
}

func newSinceColumn(kind string) column {
	return column{"Since", func(o kube.Object, now time.Time) string {
		return formatAge(o.Condition(kind).GetString("lastTransitionTime"), now)
	}}
}
