// Package kube is the state of a Kubernetes cluster: objects of kinds, in a store with versions and changes.
package kube

import (
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
)

// Object is a Kubernetes object as JSON decodes it.
type Object map[string]any

// DecodeTrusted decodes what a JSON encoder wrote: it checks less than a decoder of what clients send, and costs half.
func DecodeTrusted(content []byte) (Object, error) {
	var value any
	if err := jsonv2.Unmarshal(content, &value); err != nil { // with an option it would decode by reflection
		return nil, err
	}
	object, _ := value.(map[string]any)
	return object, nil
}

// NewNamed returns an object of nothing but a name.
func NewNamed(name string) Object { return Object{"metadata": Object{"name": name}} }

// Name returns metadata.name.
func (o Object) Name() string { return o.GetString("metadata.name") }

// Namespace returns metadata.namespace.
func (o Object) Namespace() string { return o.GetString("metadata.namespace") }

// Get returns the value at a dotted path through maps, or nil.
func (o Object) Get(path string) any {
	fields := map[string]any(o)
	for {
		dot := strings.IndexByte(path, '.')
		if dot < 0 {
			return fields[path]
		}
		fields = toMap(fields[path[:dot]])
		path = path[dot+1:]
	}
}

// GetString returns the string at a dotted path, or "".
func (o Object) GetString(path string) string {
	text, _ := o.Get(path).(string)
	return text
}

// GetInt returns the number at a dotted path, or 0.
func (o Object) GetInt(path string) int {
	number, _ := o.Get(path).(float64)
	return int(number)
}

// GetBool returns whether true is at a dotted path.
func (o Object) GetBool(path string) bool {
	yes, _ := o.Get(path).(bool)
	return yes
}

// Map returns the map at a dotted path, or nil.
func (o Object) Map(path string) map[string]any {
	return toMap(o.Get(path))
}

// toMap accepts both types that a map of our own code may have before it is stored.
func toMap(value any) map[string]any {
	if object, ok := value.(Object); ok {
		return object
	}
	fields, _ := value.(map[string]any)
	return fields
}

// List returns the maps of the list at a dotted path.
func (o Object) List(path string) []Object {
	items, _ := o.Get(path).([]any)
	list := make([]Object, 0, len(items))
	for _, item := range items {
		if fields, ok := item.(map[string]any); ok {
			list = append(list, fields)
		}
	}
	return list
}

// GetStrings returns the strings of the list at a dotted path.
func (o Object) GetStrings(path string) []string {
	items, _ := o.Get(path).([]any)
	texts := make([]string, 0, len(items))
	for _, item := range items {
		if text, ok := item.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// Set sets the value at a dotted path and creates missing maps.
func (o Object) Set(path string, value any) {
	fields := map[string]any(o)
	keys := strings.Split(path, ".")
	for _, key := range keys[:len(keys)-1] {
		next := toMap(fields[key])
		if next == nil {
			next = map[string]any{}
			fields[key] = next
		}
		fields = next
	}
	fields[keys[len(keys)-1]] = ToJSONValue(value)
}

// Label returns a label, and whether it is set.
func (o Object) Label(key string) (string, bool) {
	value, exists := o.Map("metadata.labels")[key]
	text, _ := value.(string)
	return text, exists
}

// OwnerUID returns the UID of the first owner, "" if there is none.
func (o Object) OwnerUID() string {
	owners := o.List("metadata.ownerReferences")
	if len(owners) == 0 {
		return ""
	}
	return owners[0].GetString("uid")
}

// ResourceVersion returns metadata.resourceVersion as a number.
func (o Object) ResourceVersion() uint64 {
	version, _ := strconv.ParseUint(o.GetString("metadata.resourceVersion"), 10, 64)
	return version
}

// Clone returns a deep copy.
func (o Object) Clone() Object {
	if o == nil {
		return nil
	}
	return CloneValue(map[string]any(o)).(map[string]any)
}

// CloneValue returns a deep copy of a decoded JSON value.
func CloneValue(value any) any {
	switch value := value.(type) {
	case Object:
		return CloneValue(map[string]any(value))
	case map[string]any:
		copied := make(map[string]any, len(value))
		for key, item := range value {
			copied[key] = CloneValue(item)
		}
		return copied
	case []any:
		copied := make([]any, len(value))
		for i, item := range value {
			copied[i] = CloneValue(item)
		}
		return copied
	}
	return value
}

// ToJSONValue converts the Go types that our own code writes to those that JSON decodes to, so that objects compare equal. What is
// of such a type already is not written: others may read it at the same time.
func ToJSONValue(value any) any {
	converted, _ := convertValue(value)
	return converted
}

// convertValue also returns whether the value is of another type now.
func convertValue(value any) (converted any, changed bool) {
	switch value := value.(type) {
	case Object:
		return ToJSONValue(map[string]any(value)), true
	case map[string]any:
		for key, item := range value {
			if converted, changed := convertValue(item); changed {
				value[key] = converted
			}
		}
	case map[string]string:
		fields := make(map[string]any, len(value))
		for key, item := range value {
			fields[key] = item
		}
		return fields, true
	case []any:
		for i, item := range value {
			if converted, changed := convertValue(item); changed {
				value[i] = converted
			}
		}
	case []Object:
		return toJSONList(value), true
	case []map[string]any:
		return toJSONList(value), true
	case []string:
		return toJSONList(value), true
	case int:
		return float64(value), true
	case uint64:
		return float64(value), true
	}
	return value, false
}

func toJSONList[T any](list []T) []any {
	items := make([]any, len(list))
	for i, item := range list {
		items[i] = ToJSONValue(item)
	}
	return items
}
