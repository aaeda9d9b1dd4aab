package schema

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"exoshift/internal/simcloud/kube"
)

// Validate returns what is wrong with an object, in the API server's words.
func (s Schema) Validate(object kube.Object) field.ErrorList {
	if s == nil {
		return nil
	}
	var faults field.ErrorList
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if of, _, known := s.property(key); known && key != "metadata" && key != "apiVersion" && key != "kind" {
			faults = append(faults, of.validate(field.NewPath(key), object[key])...)
		}
	}
	return append(s.checkRequired(nil, object), faults...)
}

func (s Schema) validate(path *field.Path, value any) field.ErrorList {
	if value == nil && s.isSet("nullable") || len(s) == 0 {
		return nil
	}
	if fault := s.checkType(path, value); fault != nil {
		return field.ErrorList{fault}
	}
	faults := s.checkEnum(path, value)
	switch value := value.(type) {
	case string:
		return append(faults, s.checkLength(path, value)...)
	case float64:
		return append(faults, s.checkRange(path, value)...)
	case []any:
		faults = append(faults, s.checkItems(path, value)...)
		for i, item := range value {
			faults = append(faults, s.items().validate(path.Index(i), item)...)
		}
	case map[string]any:
		faults = append(faults, s.checkRequired(path, value)...)
		for _, key := range slices.Sorted(maps.Keys(value)) {
			of, _, _ := s.property(key)
			faults = append(faults, of.validate(path.Child(key), value[key])...)
		}
	}
	return faults
}

// checkType compares the type of a value with the schema's, if that has one.
func (s Schema) checkType(path *field.Path, value any) *field.Error {
	wanted := s.object().GetString("type")
	found := nameType(value)
	switch {
	case wanted == "" || wanted == found,
		wanted == "number" && found == "integer",
		s.isSet("x-kubernetes-int-or-string") && (found == "integer" || found == "string"):
		return nil
	}
	return field.TypeInvalid(path, found, fmt.Sprintf("%s in body must be of type %s: %q", path, wanted, found))
}

func nameType(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		if value == math.Trunc(value) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

func (s Schema) checkRequired(path *field.Path, value map[string]any) field.ErrorList {
	var faults field.ErrorList
	for _, key := range s.object().GetStrings("required") {
		if _, exists := value[key]; !exists {
			at := path.Child(key)
			if path == nil {
				at = field.NewPath(key)
			}
			faults = append(faults, field.Required(at, ""))
		}
	}
	return faults
}

func (s Schema) checkEnum(path *field.Path, value any) field.ErrorList {
	known, _ := s["enum"].([]any)
	if len(known) == 0 || slices.Contains(known, value) {
		return nil
	}
	supported := make([]string, len(known))
	for i, one := range known {
		supported[i] = fmt.Sprint(one)
	}
	return field.ErrorList{field.NotSupported(path, value, supported)}
}

func (s Schema) checkLength(path *field.Path, text string) field.ErrorList {
	length := len([]rune(text))
	if least, ok := s["minLength"].(float64); ok && length < int(least) {
		return field.ErrorList{field.Invalid(path, text, fmt.Sprintf("%s in body should be at least %d chars long", path, int(least)))}
	}
	if most, ok := s["maxLength"].(float64); ok && length > int(most) {
		return field.ErrorList{field.TooLong(path, text, int(most))}
	}
	return nil
}

func (s Schema) checkRange(path *field.Path, number float64) field.ErrorList {
	if least, ok := s["minimum"].(float64); ok && number < least {
		return field.ErrorList{field.Invalid(path, number, fmt.Sprintf("%s in body should be greater than or equal to %v", path, least))}
	}
	if most, ok := s["maximum"].(float64); ok && number > most {
		return field.ErrorList{field.Invalid(path, number, fmt.Sprintf("%s in body should be less than or equal to %v", path, most))}
	}
	return nil
}

func (s Schema) checkItems(path *field.Path, items []any) field.ErrorList {
	if least, ok := s["minItems"].(float64); ok && len(items) < int(least) {
		return field.ErrorList{field.Invalid(path, len(items), fmt.Sprintf("%s in body should have at least %d items", path, int(least)))}
	}
	if most, ok := s["maxItems"].(float64); ok && len(items) > int(most) {
		return field.ErrorList{field.TooMany(path, len(items), int(most))}
	}
	return nil
}
