package kubeapi

import (
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"exoshift/state"
)

// ListOwners returns the last managers of the field at path, as the API records them; several if they wrote the same value.
func ListOwners(object metav1.ObjectMeta, path ...string) []string {
	var found []string
	for _, entry := range object.ManagedFields {
		var fields map[string]any
		if entry.FieldsV1 != nil && json.Unmarshal(entry.FieldsV1.Raw, &fields) == nil && hasField(fields, path) {
			found = append(found, entry.Manager)
		}
	}
	return found
}

func hasField(fields map[string]any, path []string) bool {
	for _, name := range path {
		inner, ok := fields["f:"+name].(map[string]any)
		if !ok {
			return false
		}
		fields = inner
	}
	return true
}

// IsForeignOwned reports whether others wrote the field at path last.
func IsForeignOwned(object metav1.ObjectMeta, path ...string) bool {
	found := ListOwners(object, path...)
	return len(found) > 0 && !slices.Contains(found, fieldManager)
}

// IsDecided is IsForeignOwned of a field whose default an operator of OpenShift writes under its own name: that is nobody's decision.
func IsDecided(object metav1.ObjectMeta, operator string, path ...string) bool {
	return IsForeignOwned(object, path...) && !slices.Contains(ListOwners(object, path...), operator)
}

// CreatedAnnotation marks objects that exoshift created, and may delete.
const CreatedAnnotation = "exoshift-made"

// changedAnnotation marks an object that exoshift has changed: what others change afterwards is left unchanged.
const changedAnnotation = "exoshift-touched"

// IsChanged reports whether exoshift has changed the object before.
func IsChanged(object metav1.ObjectMeta) bool { return object.Annotations[changedAnnotation] != "" }

// BuildChangedMetadata includes the resource version of object, from which the patch was computed.
func BuildChangedMetadata(object metav1.ObjectMeta) map[string]any {
	return map[string]any{"resourceVersion": object.ResourceVersion, "annotations": map[string]any{changedAnnotation: "true"}}
}

// patchAttempts bounds retries after conflicts: the kubelet updates its node's status all the time.
const patchAttempts = 5

// RetryOnConflict tries again, a few times, while the object was changed since it was read.
func RetryOnConflict(try func() (state.Action, error)) (state.Action, error) {
	var action state.Action
	var err error
	for range patchAttempts {
		if action, err = try(); err == nil || !isConflict(err) {
			break
		}
	}
	return action, err
}
