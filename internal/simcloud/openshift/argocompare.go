package openshift

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"strings"

	"exoshift/internal/simcloud/kube"
)

// compare looks at what an application wants and what there is.
func (a *argoController) compare(wanted []kube.Object, s *assessment) {
	s.synced, s.health, s.resources = true, finding{reason: healthy}, nil
	for _, object := range wanted {
		kind, namespace := a.located(object)
		live, exists := a.objects.Get(kind.GroupResource(), namespace, object.Name())
		resource := kube.Object{"group": groupOf(object), "kind": object.Text("kind"), "namespace": namespace, "name": object.Name(), "status": "Synced"}
		if !exists || !matches(live, object, kind.Status) {
			resource["status"], s.synced = "OutOfSync", false
		}
		health := finding{reason: missing}
		if exists {
			health = healthOf(live)
		}
		if health.reason != "" {
			resource["health"] = kube.Object{"status": health.reason, "message": health.message}
			s.health = worse(s.health, health)
		}
		s.resources = append(s.resources, resource)
	}
}

// fingerprint changes whenever a comparison may end otherwise.
func (a *argoController) fingerprint(application kube.Object, wanted target) uint64 {
	hash := fnv.New64a()
	_, _ = fmt.Fprint(hash, wanted.commit, application.Text("metadata.resourceVersion")) // never fails
	for _, object := range wanted.objects {
		kind, namespace := a.located(object)
		_, _ = fmt.Fprint(hash, a.objects.VersionOf(kind.GroupResource(), namespace, object.Name()), ",")
	}
	return hash.Sum64()
}

func groupOf(object kube.Object) string {
	group, _, found := strings.Cut(object.Text("apiVersion"), "/")
	if !found {
		return ""
	}
	return group
}

// located returns the kind of an object, the zero Kind if there is none, and the namespace that it is in.
func (c *cluster) located(object kube.Object) (kube.Kind, string) {
	kind, known := c.kindNamed(groupOf(object), object.Text("kind"))
	if known && !kind.Namespaced {
		return kind, ""
	}
	return kind, object.Namespace()
}

// matches tells whether an object is as wanted; what is not told may be anything.
func matches(live, wanted kube.Object, withoutStatus bool) bool {
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
