package argo

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"strings"

	"exoshift/internal/simcloud/kube"
)

func (a *argoController) compare(wanted []kube.Object, s *appComparison) {
	s.synced, s.health, s.resources = true, HealthStatus{Status: Healthy}, nil
	for _, object := range wanted {
		kind, namespace := findKindAndNamespace(a.Objects, object)
		live, exists := a.Objects.Get(kind.GroupResource(), namespace, object.Name())
		resource := kube.Object{"group": groupOf(object), "kind": object.GetString("kind"), "namespace": namespace, "name": object.Name(), "status": "Synced"}
		if !exists || !hasWantedFields(live, object, kind.Status) {
			resource["status"], s.synced = "OutOfSync", false
		}
		health := HealthStatus{Status: missing}
		if exists {
			health = ComputeHealth(live)
		}
		if health.Status != "" {
			resource["health"] = kube.Object{"status": health.Status, "message": health.Message}
			s.health = selectWorse(s.health, health)
		}
		s.resources = append(s.resources, resource)
	}
}

// computeFingerprint covers every input that can change the result of a comparison.
func (a *argoController) computeFingerprint(application kube.Object, wanted target) uint64 {
	hash := fnv.New64a()
	_, _ = fmt.Fprint(hash, wanted.commit, application.GetString("metadata.resourceVersion")) // never fails
	for _, object := range wanted.objects {
		kind, namespace := findKindAndNamespace(a.Objects, object)
		_, _ = fmt.Fprint(hash, a.Objects.ResourceVersion(kind.GroupResource(), namespace, object.Name()), ",")
	}
	return hash.Sum64()
}

func groupOf(object kube.Object) string {
	group, _, found := strings.Cut(object.GetString("apiVersion"), "/")
	if !found {
		return ""
	}
	return group
}

// findKindAndNamespace returns the zero Kind for an unknown kind.
func findKindAndNamespace(objects *kube.Objects, object kube.Object) (kube.Kind, string) {
	kind, known := findKindByName(objects, groupOf(object), object.GetString("kind"))
	if known && !kind.Namespaced {
		return kind, ""
	}
	return kind, object.Namespace()
}

// hasWantedFields ignores live fields that the wanted object does not set.
func hasWantedFields(live, wanted kube.Object, withoutStatus bool) bool {
	for key, value := range wanted {
		if key == "metadata" || key == "status" && withoutStatus {
			continue
		}
		if !contains(live[key], value) {
			return false
		}
	}
	for _, field := range []string{"labels", "annotations"} {
		if !contains(live.Get("metadata."+field), wanted.Get("metadata."+field)) {
			return false
		}
	}
	return true
}

func contains(live, wanted any) bool {
	switch wanted := wanted.(type) {
	case nil:
		return true
	case map[string]any:
		fields, _ := live.(map[string]any)
		for key, value := range wanted {
			if !contains(fields[key], value) {
				return false
			}
		}
		return true
	case []any:
		items, _ := live.([]any)
		if len(items) != len(wanted) {
			return false
		}
		for i := range wanted {
			if !contains(items[i], wanted[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(live, wanted)
}
