package apiserver

import (
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/version"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/stable"
)

func discover(w http.ResponseWriter, r *http.Request, user User, s *Server) bool {
	path := strings.Trim(r.URL.Path, "/")
	if path != "api" && path != "apis" && !strings.HasPrefix(path, "api/") && !strings.HasPrefix(path, "apis/") {
		return false
	}
	if strings.Count(path, "/") > 2 || strings.Count(path, "/") == 2 && strings.HasPrefix(path, "api/") {
		return false
	}
	if !user.HasGroup(authenticated) {
		writeError(w, newForbidden(request{verb: "get", path: r.URL.Path}, user))
		return true
	}
	document := buildDiscovery(path, s.Objects.ListKinds())
	if document == nil {
		writeError(w, newUnknownPath())
		return true
	}
	writeJSON(w, http.StatusOK, document)
	return true
}

func buildDiscovery(path string, kinds []kube.Kind) kube.Object {
	switch path {
	case "api":
		return kube.Object{"kind": "APIVersions", "versions": []string{"v1"}}
	case "apis":
		return kube.Object{"kind": "APIGroupList", "apiVersion": "v1", "groups": listGroups(kinds)}
	}
	apiVersion := strings.TrimPrefix(strings.TrimPrefix(path, "apis/"), "api/")
	if !strings.Contains(apiVersion, "/") && strings.HasPrefix(path, "apis/") {
		for _, group := range listGroups(kinds) {
			if group["name"] == apiVersion {
				return group
			}
		}
		return nil
	}
	if resources := listResources(kinds, apiVersion); len(resources) > 0 {
		return kube.Object{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": apiVersion, "resources": resources}
	}
	return nil
}

// listGroups lists the groups with all of their versions, and prefers the first one that is stable.
func listGroups(kinds []kube.Kind) []kube.Object {
	var list []kube.Object
	versions := map[string][]string{}
	var names []string
	for _, kind := range kinds {
		if kind.Group == "" || slices.Contains(versions[kind.Group], kind.Version) {
			continue
		}
		if versions[kind.Group] == nil {
			names = append(names, kind.Group)
		}
		versions[kind.Group] = append(versions[kind.Group], kind.Version)
	}
	for _, name := range names {
		served := versions[name]
		stable.Sort(served, func(a, b string) int { return -version.CompareKubeAwareVersionStrings(a, b) })
		var described []kube.Object
		for _, one := range served {
			described = append(described, kube.Object{"groupVersion": name + "/" + one, "version": one})
		}
		list = append(list, kube.Object{"kind": "APIGroup", "apiVersion": "v1", "name": name, "versions": described, "preferredVersion": described[0]})
	}
	return list
}

func listResources(kinds []kube.Kind, apiVersion string) []kube.Object {
	var list []kube.Object
	for _, kind := range kinds {
		if kind.APIVersion() != apiVersion {
			continue
		}
		resource := kube.Object{"name": kind.Resource, "singularName": strings.ToLower(kind.Kind), "kind": kind.Kind, "namespaced": kind.Namespaced,
			"verbs": []string{"create", "delete", "get", "list", "patch", "update", "watch"}}
		if short := listShortNames(kind.GroupResource()); short != nil {
			resource["shortNames"] = short
		}
		list = append(list, resource)
		if kind.Status {
			list = append(list, kube.Object{"name": kind.Resource + "/status", "singularName": "", "kind": kind.Kind, "namespaced": kind.Namespaced,
				"verbs": []string{"get", "patch", "update"}})
		}
	}
	return list
}
