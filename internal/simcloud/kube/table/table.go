// Package table renders objects as the tables that kubectl prints: the columns of an API server for Kubernetes' own kinds, and
// those of a definition, or of OpenShift's, for added ones.
package table

import (
	"strconv"
	"time"

	"exoshift/internal/simcloud/kube"
)

const (
	text    = "string"
	integer = "integer"
	date    = "date"
)

type column struct {
	name     string
	kind     string // of the values: text, integer, boolean or date
	priority int    // 1: only in kubectl's wide output
	cell     func(o kube.Object, now time.Time) any
}

func (c column) widen() column {
	c.priority = 1
	return c
}

// Render returns a metav1.Table of objects of a kind, which are part of their rows. The definition is that of an added kind, or
// nil.
func Render(kind kube.Kind, definition kube.Object, objects []kube.Object, metadata any, now time.Time) kube.Object {
	columns := listColumns(kind, definition)
	definitions, rows := make([]kube.Object, len(columns)), make([]kube.Object, len(objects))
	for i, c := range columns {
		definitions[i] = kube.Object{"name": c.name, "type": c.kind, "format": "", "description": "", "priority": c.priority}
		if c.name == "Name" && c.priority == 0 {
			definitions[i]["format"] = "name"
		}
	}
	for i, o := range objects {
		cells := make([]any, len(columns))
		for n, c := range columns {
			cells[n] = c.cell(o, now)
		}
		rows[i] = kube.Object{"cells": cells, "object": o}
	}
	return kube.Object{"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": metadata, "columnDefinitions": definitions, "rows": rows}
}

func listColumns(kind kube.Kind, definition kube.Object) []column {
	if columns := listBuiltinColumns(kind.GroupResource()); columns != nil {
		return columns
	}
	if columns := listDefinedColumns(definition, kind.Version); len(columns) > 0 {
		return append([]column{nameColumn()}, columns...)
	}
	if columns := listOpenShiftColumns(kind.GroupResource()); columns != nil {
		return columns
	}
	age := ageColumn()
	if kind.Added {
		age.kind = date
	}
	return []column{nameColumn(), age}
}

func nameColumn() column {
	return column{name: "Name", kind: text, cell: func(o kube.Object, _ time.Time) any { return o.Name() }}
}

func ageColumn() column {
	return column{name: "Age", kind: text, cell: func(o kube.Object, now time.Time) any {
		return formatAge(o.GetString("metadata.creationTimestamp"), now)
	}}
}

// newColumn has the text at a path, "" if there is none.
func newColumn(name, path string) column {
	return column{name: name, kind: text, cell: func(o kube.Object, _ time.Time) any { return o.GetString(path) }}
}

// newTextColumn has a computed text.
func newTextColumn(name string, cell func(kube.Object) string) column {
	return column{name: name, kind: text, cell: func(o kube.Object, _ time.Time) any { return cell(o) }}
}

// newNumberColumn has the number at a path as text, which is what an API server calls the most numbers.
func newNumberColumn(name, path string) column {
	return newTextColumn(name, func(o kube.Object) string { return strconv.Itoa(o.GetInt(path)) })
}

// newCountColumn has the number at a path, 0 if there is none.
func newCountColumn(name, path string) column {
	return column{name: name, kind: integer, cell: func(o kube.Object, _ time.Time) any { return o.GetInt(path) }}
}

func newStateColumn(kind string) column {
	return column{name: kind, kind: text, cell: func(o kube.Object, _ time.Time) any { return o.Condition(kind).GetString("status") }}
}

func newMessageColumn(name, kind string) column {
	return column{name: name, kind: text, cell: func(o kube.Object, _ time.Time) any { return o.Condition(kind).GetString("message") }}
}

func newSinceColumn(kind string) column {
	return column{name: "Since", kind: text, cell: func(o kube.Object, now time.Time) any {
		return formatAge(o.Condition(kind).GetString("lastTransitionTime"), now)
	}}
}
