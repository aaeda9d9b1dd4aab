package openshift

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// stripObject takes out of an object what fills pages and tells nothing, and where somebody may have written a password: of
// pods, whose environment is part of what they shall be, only their state is left.
func stripObject(object unstructured.Unstructured) {
	object.SetManagedFields(nil)
	unstructured.RemoveNestedField(object.Object, "metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
	switch object.GetKind() {
	case "Node":
		unstructured.RemoveNestedField(object.Object, "status", "images")
	case "Pod":
		node, _, _ := unstructured.NestedString(object.Object, "spec", "nodeName")
		object.SetAnnotations(nil)
		object.Object["spec"] = map[string]any{"nodeName": node}
	}
}

// isUnhealthy tells whether an object deserves to be looked at first.
func isUnhealthy(object unstructured.Unstructured) bool {
	phase, _, _ := unstructured.NestedString(object.Object, "status", "phase")
	switch object.GetKind() {
	case "Event":
		severity, _, _ := unstructured.NestedString(object.Object, "type")
		return severity != "Normal"
	case "Pod":
		if phase == "Succeeded" {
			return false
		}
	}
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, condition := range conditions {
		if fields, ok := condition.(map[string]any); ok && isBadCondition(fields) {
			return true
		}
	}
	return len(conditions) == 0 // nobody has answered a request, or looked after the object
}

// isBadCondition tells whether a condition is one that it should not be.
func isBadCondition(condition map[string]any) bool {
	kind, _ := condition["type"].(string)
	status, _ := condition["status"].(string)
	switch {
	case kind == "Ready" || kind == "Available":
		return status != "True"
	case strings.HasSuffix(kind, "Degraded"), kind == "Failing", kind == "Progressing":
		return status == "True"
	}
	return false
}
