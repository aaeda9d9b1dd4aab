package openshift

import (
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"exoshift/state"
)

// fieldManager is who the API notes as the owner of what we write.
const fieldManager = "exoshift"

// listOwners returns who wrote a field last, as the API notes it; several if they wrote the same. Path is the names of the
// fields that lead to it.
func listOwners(object metav1.ObjectMeta, path ...string) []string {
	var found []string
	for _, entry := range object.ManagedFields {
		var fields map[string]any
		if entry.FieldsV1 != nil && json.Unmarshal(entry.FieldsV1.Raw, &fields) == nil && hasField(fields, path) {
			found = append(found, entry.Manager)
		}
	}
	return found
}

// hasField tells whether a set of fields, in the form of managedFields, holds the one that path leads to.
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

// isForeignOwned tells whether somebody else has written a field since, or before, we did.
func isForeignOwned(object metav1.ObjectMeta, path ...string) bool {
	found := listOwners(object, path...)
	return len(found) > 0 && !slices.Contains(found, fieldManager)
}

// changedAnnotation is the annotation of an object that we have changed: what others change of it since then, stays.
const changedAnnotation = "exoshift-touched"

func isChanged(object metav1.ObjectMeta) bool { return object.Annotations[changedAnnotation] != "" }

// buildChangedMetadata returns the metadata of a patch that was made from what object was.
func buildChangedMetadata(object metav1.ObjectMeta) map[string]any {
	return map[string]any{"resourceVersion": object.ResourceVersion, "annotations": map[string]any{changedAnnotation: "true"}}
}

// retryOnConflict tries a change that was made from what had been read, again if somebody else changed the object in between.
func retryOnConflict(try func() (state.Action, error)) (state.Action, error) {
	var action state.Action
	var err error
	for range patchAttempts {
		if action, err = try(); err == nil || !isConflict(err) {
			break
		}
	}
	return action, err
}
