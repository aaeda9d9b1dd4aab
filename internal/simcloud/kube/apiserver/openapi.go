package apiserver

import (
	"net/http"
	"strings"

	"exoshift/internal/simcloud/kube"
)

const openAPI = "/openapi/v3"

// describe serves the part of the OpenAPI documents that kubectl needs before it writes: that patches support the field
// validation parameter. There are no schemas.
func describe(w http.ResponseWriter, r *http.Request, user User, s *Server) bool {
	rest, ok := strings.CutPrefix(r.URL.Path, openAPI)
	if !ok {
		return false
	}
	if !user.HasGroup(authenticated) {
		writeError(w, newForbidden(request{verb: "get", path: r.URL.Path}, user))
		return true
	}
	paths := kube.Object{}
	for _, kind := range s.Objects.ListKinds() {
		switch {
		case rest == "":
			paths[strings.TrimPrefix(formatAPIPath(kind), "/")] = kube.Object{"serverRelativeURL": openAPI + formatAPIPath(kind)}
		case rest == formatAPIPath(kind):
			paths[rest+"/"+kind.Resource+"/{name}"] = describePatch(kind)
		}
	}
	if len(paths) == 0 {
		writeError(w, newUnknownPath())
		return true
	}
	writeJSON(w, http.StatusOK, kube.Object{"openapi": "3.0.0", "info": kube.Object{"title": "Kubernetes", "version": "v" + s.Version}, "paths": paths})
	return true
}

func formatAPIPath(k kube.Kind) string {
	if k.Group == "" {
		return "/api/" + k.Version
	}
	return "/apis/" + k.APIVersion()
}

func describePatch(kind kube.Kind) kube.Object {
	parameter := func(name string) kube.Object {
		return kube.Object{"name": name, "in": "query", "schema": kube.Object{"type": "string"}}
	}
	return kube.Object{"patch": kube.Object{
		"parameters":                      []kube.Object{parameter("fieldValidation")},
		"responses":                       kube.Object{"200": kube.Object{"description": "OK"}},
		"x-kubernetes-group-version-kind": kube.Object{"group": kind.Group, "version": kind.Version, "kind": kind.Kind},
	}}
}
