package kube

import (
	"net/http"
	"strings"
	"time"
)

// column is one of a table's, as people see it.
type column struct {
	name string
	cell func(o Object, now time.Time) string
}

// wantsTable tells whether the client would rather show objects than work with them, as kubectl does.
func wantsTable(r *http.Request) bool {
	accepted, _, _ := strings.Cut(r.Header.Get("Accept"), ",")
	return strings.Contains(accepted, "as=Table")
}

// table renders objects for people; each row carries its object.
func table(kind Kind, objects []Object, metadata any, now time.Time) Object {
	columns := columnsOf(kind)
	definitions, rows := make([]Object, len(columns)), make([]Object, len(objects))
	for i, c := range columns {
		definitions[i] = Object{"name": c.name, "type": "string", "format": "", "description": "", "priority": 0}
	}
	definitions[0]["format"] = "name"
	for i, o := range objects {
		cells := make([]string, len(columns))
		for n, c := range columns {
			cells[n] = c.cell(o, now)
		}
		rows[i] = Object{"cells": cells, "object": o}
	}
	return Object{"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": metadata, "columnDefinitions": definitions, "rows": rows}
}

// columnsOf are those of Kubernetes and of OpenShift's definitions, for the kinds that somebody who watches an
// installation looks at.
func columnsOf(kind Kind) []column {
	name := column{"Name", func(o Object, _ time.Time) string { return o.Name() }}
	age := column{"Age", func(o Object, now time.Time) string { return elapsed(o.Text("metadata.creationTimestamp"), now) }}
	switch kind.GroupResource() {
	case "nodes":
		return []column{name, {"Status", nodeStatus}, {"Roles", roles}, age, at("Version", "status.nodeInfo.kubeletVersion")}
	case "pods":
		return []column{name, {"Ready", readyContainers}, {"Status", podStatus}, age}
	case requests:
		return []column{name, age, at("SignerName", "spec.signerName"), at("Requestor", "spec.username"), {"Condition", requestCondition}}
	case "clusteroperators.config.openshift.io":
		return []column{name, {"Version", operatorVersion}, state("Available"), state("Progressing"), state("Degraded"),
			sinceChange("Available"), message("Message", "Degraded")}
	case "clusterversions.config.openshift.io":
		return []column{name, {"Version", releaseVersion}, state("Available"), state("Progressing"),
			sinceChange("Progressing"), message("Status", "Progressing")}
	}
	return []column{name, age}
}

func at(name, path string) column {
	return column{name, func(o Object, _ time.Time) string { return o.Text(path) }}
}

// condition returns a condition of an object, or nothing.
func condition(o Object, kind string) Object {
	for _, c := range o.List("status.conditions") {
		if c.Text("type") == kind {
			return c
		}
	}
	return Object{}
}

func state(kind string) column {
	return column{kind, func(o Object, _ time.Time) string { return condition(o, kind).Text("status") }}
}

func message(name, kind string) column {
	return column{name, func(o Object, _ time.Time) string { return condition(o, kind).Text("message") }}
}

func sinceChange(kind string) column {
	return column{"Since", func(o Object, now time.Time) string {
		return elapsed(condition(o, kind).Text("lastTransitionTime"), now)
	}}
}
