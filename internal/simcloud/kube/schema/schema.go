// Package schema holds objects of added kinds against the OpenAPI schema of their definition, as an API server does: unknown fields
// are pruned, defaults set, and types, required fields, enumerations and ranges validated. Patterns, formats and rules in CEL are
// not evaluated.
package schema

import (
	"maps"
	"slices"
	"strconv"

	"exoshift/internal/simcloud/kube"
)

// Schema is a structural OpenAPI schema: that of a value.
type Schema kube.Object

// Find returns the schema of a version in a definition; nil: it has none, and takes everything.
func Find(definition kube.Object, version string) Schema {
	for _, served := range definition.List("spec.versions") {
		if served.GetString("name") == version {
			return Schema(served.Map("schema.openAPIV3Schema"))
		}
	}
	return nil
}

func (s Schema) object() kube.Object { return kube.Object(s) }

func (s Schema) isSet(key string) bool { return s[key] == true }

// property returns the schema of a field; open: it may have any value.
func (s Schema) property(key string) (of Schema, open, known bool) {
	properties, _ := s["properties"].(map[string]any)
	if found, ok := properties[key].(map[string]any); ok {
		return found, false, true
	}
	switch additional := s["additionalProperties"].(type) {
	case map[string]any:
		return additional, len(additional) == 0, true
	case bool:
		return nil, additional, additional
	}
	return nil, s.isSet("x-kubernetes-preserve-unknown-fields"), s.isSet("x-kubernetes-preserve-unknown-fields")
}

func (s Schema) items() Schema {
	items, _ := s["items"].(map[string]any)
	return items
}

// Prune removes the fields that the schema does not have, and returns what is wrong with them: `unknown field "spec.x"`.
func (s Schema) Prune(object kube.Object) []string {
	if s == nil {
		return nil
	}
	return s.prune(object, "", true)
}

func (s Schema) prune(value any, path string, embedded bool) []string {
	var faults []string
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			if items := s.items(); items != nil {
				faults = append(faults, items.prune(item, path+"["+strconv.Itoa(i)+"]", items.isSet("x-kubernetes-embedded-resource"))...)
			}
		}
	case kube.Object:
		return s.prune(map[string]any(value), path, embedded)
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			at := key
			if path != "" {
				at = path + "." + key
			}
			of, open, known := s.property(key)
			switch {
			case embedded && slices.Contains([]string{"apiVersion", "kind", "metadata"}, key), open:
			case known:
				faults = append(faults, of.prune(value[key], at, of.isSet("x-kubernetes-embedded-resource"))...)
			default:
				delete(value, key)
				faults = append(faults, "unknown field "+strconv.Quote(at))
			}
		}
	}
	return faults
}

// SetDefaults sets the defaults of fields that are left out.
func (s Schema) SetDefaults(value any) {
	switch value := value.(type) {
	case kube.Object:
		s.SetDefaults(map[string]any(value))
	case []any:
		for _, item := range value {
			s.items().SetDefaults(item)
		}
	case map[string]any:
		properties, _ := s["properties"].(map[string]any)
		for key, of := range properties {
			of, _ := of.(map[string]any)
			if _, exists := value[key]; !exists && of["default"] != nil {
				value[key] = kube.CloneValue(of["default"])
			}
		}
		for key, inner := range value {
			of, _, _ := s.property(key)
			of.SetDefaults(inner)
		}
	}
}
