package kube

import "reflect"

// isEqual compares decoded JSON values. The controllers compare hundreds of objects every second, for which reflection is too
// slow.
func isEqual(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && isEqualMap(a, b)
	case []any:
		b, ok := b.([]any)
		return ok && isEqualList(a, b)
	case string:
		b, ok := b.(string)
		return ok && a == b
	}
	return reflect.DeepEqual(a, b)
}

func isEqualMap(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	for key, value := range a {
		if other, ok := b[key]; !ok || !isEqual(value, other) {
			return false
		}
	}
	return true
}

func isEqualList(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i, item := range a {
		if !isEqual(item, b[i]) {
			return false
		}
	}
	return true
}
