package openshift

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Ranks by which objects are applied.
const (
	rankDefinition = iota
	rankNamespace
	rankAccess
	rankContent
	rankOther
	rankCustom // of kinds that the same manifests define: their webhooks may have to run
	rankWebhook
)

func sortObjects(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	own := listDefinedGroups(objects)
	sorted := slices.Clone(objects)
	slices.SortStableFunc(sorted, func(a, b *unstructured.Unstructured) int { return computeRank(a, own) - computeRank(b, own) })
	return sorted
}

func computeRank(object *unstructured.Unstructured, own map[string]bool) int {
	group := parseGroup(object)
	switch kind := object.GetKind(); {
	case kind == definitionKind:
		return rankDefinition
	case group == "" && kind == "Namespace":
		return rankNamespace
	case group == "rbac.authorization.k8s.io", group == "" && kind == "ServiceAccount":
		return rankAccess
	case group == "" && (kind == "Secret" || kind == "ConfigMap"):
		return rankContent
	case own[group]:
		return rankCustom
	case group == "admissionregistration.k8s.io", group == "apiregistration.k8s.io":
		return rankWebhook
	}
	return rankOther
}

const definitionKind = "CustomResourceDefinition"

func listDefinedGroups(objects []*unstructured.Unstructured) map[string]bool {
	groups := map[string]bool{}
	for _, object := range objects {
		if object.GetKind() == definitionKind {
			group, _, _ := unstructured.NestedString(object.Object, "spec", "group")
			groups[group] = true
		}
	}
	return groups
}

func parseGroup(object *unstructured.Unstructured) string {
	group, _, found := strings.Cut(object.GetAPIVersion(), "/")
	if !found {
		return ""
	}
	return group
}
