package apiserver

import (
	"maps"
	"slices"
	"strings"

	"exoshift/internal/simcloud/kube"
)

type leaf struct {
	path  []string
	value any
}

func (l leaf) name() string { return strings.Join(l.path, ".") }

// listLeaves returns the leaves of an object's part, sorted. An empty map and a list are leaves.
func listLeaves(fields map[string]any, path []string) []leaf {
	var list []leaf
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		at := append(slices.Clone(path), key)
		inner, isMap := fields[key].(map[string]any)
		switch {
		case isMap && len(inner) > 0:
			list = append(list, listLeaves(inner, at)...)
		case isMap && len(path) == 0 && key == "metadata":
		case fields[key] != nil:
			list = append(list, leaf{at, fields[key]})
		}
	}
	return list
}

// listFieldPaths returns the leaves of a set in managedFields' format.
func listFieldPaths(set map[string]any, path []string) [][]string {
	var list [][]string
	for _, key := range slices.Sorted(maps.Keys(set)) {
		name, isField := strings.CutPrefix(key, "f:")
		if !isField {
			continue
		}
		at := append(slices.Clone(path), name)
		if inner, _ := set[key].(map[string]any); len(inner) > 0 && !isEmptyMap(inner) {
			list = append(list, listFieldPaths(inner, at)...)
			continue
		}
		list = append(list, at)
	}
	return list
}

// hasField reports whether a set contains a field, a parent or a child of it.
func hasField(set map[string]any, path []string) bool {
	for _, key := range path {
		inner, ok := set["f:"+key].(map[string]any)
		if !ok {
			return false
		}
		if len(inner) == 0 {
			return true
		}
		set = inner
	}
	return true
}

func removeOwner(entries []kube.Object, path []string) {
	fields := map[string]any{}
	for _, key := range slices.Backward(path) {
		fields = map[string]any{"f:" + key: fields}
	}
	for _, entry := range entries {
		removeFields(entry.Map("fieldsV1"), fields)
	}
}

func lookup(object kube.Object, path []string) any {
	var at any = map[string]any(object)
	for _, key := range path {
		fields, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = fields[key]
	}
	return at
}

// put keeps an existing map if an empty one is to be set.
func put(object kube.Object, field leaf) {
	fields := map[string]any(object)
	last := len(field.path) - 1
	for _, key := range field.path[:last] {
		next, ok := fields[key].(map[string]any)
		if !ok {
			next = map[string]any{}
			fields[key] = next
		}
		fields = next
	}
	_, wantsMap := field.value.(map[string]any)
	if _, isMap := fields[field.path[last]].(map[string]any); !wantsMap || !isMap {
		fields[field.path[last]] = kube.CloneValue(field.value)
	}
}

// remove deletes a field, and the maps that become empty.
func remove(fields map[string]any, path []string) {
	if len(path) == 1 {
		delete(fields, path[0])
		return
	}
	inner, ok := fields[path[0]].(map[string]any)
	if !ok {
		return
	}
	if remove(inner, path[1:]); len(inner) == 0 {
		delete(fields, path[0])
	}
}
