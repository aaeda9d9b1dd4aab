package openshift

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// stripObject removes bulky fields without diagnostic value, and those that may hold a password: of pods, whose spec holds
// environment variables, only the status is kept.
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
	return len(conditions) == 0 // no decision on a request, or no controller for the object
}

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
