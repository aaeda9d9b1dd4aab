package kube

import (
	"slices"
	"strings"
)

// index finds the entries of a resource, and the pods of a node. Every kubelet lists its own pods every few seconds; without the
// index a cluster of a thousand nodes would scan a million pods then.
type index struct {
	entries map[string]Entry
	keys    map[string][]string            // of a resource, in order
	bound   map[string]map[string][]string // the keys of pods by resource and node, in order
}

const (
	pods     = "pods"
	nodeName = "spec.nodeName"
)

func newIndex() index {
	return index{entries: map[string]Entry{}, keys: map[string][]string{}, bound: map[string]map[string][]string{pods: {}}}
}

func (x index) put(id string, e Entry) {
	resource := e.kind.GroupResource()
	if old, ok := x.entries[id]; ok {
		x.removeBinding(resource, id, old)
	} else {
		x.keys[resource] = with(x.keys[resource], id)
	}
	x.entries[id] = e
	if nodes := x.bound[resource]; nodes != nil {
		node := e.Object.GetString(nodeName)
		nodes[node] = with(nodes[node], id)
	}
}

func (x index) remove(resource, id string) {
	x.removeBinding(resource, id, x.entries[id])
	x.keys[resource] = removeID(x.keys[resource], id)
	delete(x.entries, id)
}

func (x index) removeBinding(resource, id string, old Entry) {
	if nodes := x.bound[resource]; nodes != nil {
		node := old.Object.GetString(nodeName)
		nodes[node] = removeID(nodes[node], id)
	}
}

// list returns the keys of a resource in order; of those bound to a node if fields selects one.
func (x index) list(resource, namespace string, fields Selector) []string {
	keys := x.keys[resource]
	for _, term := range fields {
		if nodes := x.bound[resource]; nodes != nil && term.Key == nodeName && term.Operator == "=" {
			keys = nodes[term.Values[0]]
		}
	}
	if namespace == "" {
		return keys
	}
	prefix := formatKey(resource, namespace, "")
	first, _ := slices.BinarySearch(keys, prefix)
	last := first
	for last < len(keys) && strings.HasPrefix(keys[last], prefix) {
		last++
	}
	return keys[first:last]
}

func with(keys []string, id string) []string {
	at, found := slices.BinarySearch(keys, id)
	if found {
		return keys
	}
	return slices.Insert(keys, at, id)
}

func removeID(keys []string, id string) []string {
	at, found := slices.BinarySearch(keys, id)
	if !found {
		return keys
	}
	return slices.Delete(keys, at, at+1)
}
