package apiserver

import (
	"encoding/json"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/goccy/go-yaml"

	"exoshift/internal/simcloud/kube"
)

const (
	jsonPatch      = "application/json-patch+json"
	mergePatch     = "application/merge-patch+json"
	strategicPatch = "application/strategic-merge-patch+json"
	applyPatch     = "application/apply-patch+yaml"
)

// patchObject applies a patch. A strategic merge, and an apply of a status, are merge patches here, except that status
// conditions and addresses are merged by their type.
func patchObject(object kube.Object, media string, patch []byte) (kube.Object, error) {
	switch media {
	case jsonPatch:
		return patchJSON(object, patch)
	case mergePatch, strategicPatch, applyPatch:
		changes, err := decodePatch(media, patch)
		if err != nil {
			return nil, err
		}
		merged, _ := merge(map[string]any(object), map[string]any(changes), media != mergePatch).(map[string]any)
		return merged, nil
	}
	return nil, newUnsupportedMediaType(media)
}

func decodePatch(media string, patch []byte) (kube.Object, error) {
	if media == applyPatch {
		converted, err := yaml.YAMLToJSON(patch)
		if err != nil {
			return nil, kube.NewBadRequest("error decoding YAML: %v", err)
		}
		patch = converted
	}
	var changes kube.Object
	if err := json.Unmarshal(patch, &changes); err != nil {
		return nil, kube.NewBadRequest("error decoding patch: %v", err)
	}
	return kube.ToJSONValue(changes).(map[string]any), nil
}

func patchJSON(object kube.Object, patch []byte) (kube.Object, error) {
	operations, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, kube.NewBadRequest("error decoding patch: %v", err)
	}
	before, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	after, err := operations.Apply(before)
	if err != nil {
		return nil, &kube.StatusError{Code: 422, Reason: "Invalid", Message: "the server rejected our request due to an error in our request: " + err.Error()}
	}
	var changed kube.Object
	return changed, json.Unmarshal(after, &changed)
}

func merge(old, change any, strategic bool) any {
	fields, ok := change.(map[string]any)
	if !ok {
		return change
	}
	merged, ok := old.(map[string]any)
	if !ok {
		merged = map[string]any{}
	}
	for key, value := range fields {
		switch {
		case value == nil:
			delete(merged, key)
		case strategic && (key == "conditions" || key == "addresses"):
			merged[key] = mergeByType(merged[key], value)
		default:
			merged[key] = merge(merged[key], value, strategic)
		}
	}
	return merged
}

// mergeByType merges lists of objects with the key "type".
func mergeByType(old, change any) any {
	changes, ok := change.([]any)
	if !ok {
		return change
	}
	items, _ := old.([]any)
	merged := append([]any(nil), items...)
	for _, item := range changes {
		at := indexOfType(merged, item)
		if at < 0 {
			merged = append(merged, item)
			continue
		}
		merged[at] = merge(merged[at], item, true)
	}
	return merged
}

func indexOfType(items []any, item any) int {
	wanted, _ := item.(map[string]any)
	for i := range items {
		if fields, ok := items[i].(map[string]any); ok && fields["type"] == wanted["type"] {
			return i
		}
	}
	return -1
}
