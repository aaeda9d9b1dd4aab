package kube

import (
	"net/http"
	"strings"
)

const openAPI = "/openapi/v3"

// describe serves the part of the OpenAPI documents that kubectl needs before it writes: that patches support the field
// validation parameter. There are no schemas.
func (s *Server) describe(w http.ResponseWriter, r *http.Request, user User) bool {
	rest, ok := strings.CutPrefix(r.URL.Path, openAPI)
	if !ok {
		return false
	}
	if !user.HasGroup(authenticated) {
		writeError(w, newForbidden(request{verb: "get", path: r.URL.Path}, user))
		return true
	}
	paths := Object{}
	for _, kind := range s.Objects.ListKinds() {
		switch {
		case rest == "":
			paths[strings.TrimPrefix(kind.apiPath(), "/")] = Object{"serverRelativeURL": openAPI + kind.apiPath()}
		case rest == kind.apiPath():
			paths[rest+"/"+kind.Resource+"/{name}"] = describePatch(kind)
		}
	}
	if len(paths) == 0 {
		writeError(w, newUnknownPath())
		return true
	}
	writeJSON(w, http.StatusOK, Object{"openapi": "3.0.0", "info": Object{"title": "Kubernetes", "version": "v" + s.Version}, "paths": paths})
	return true
}

func (k Kind) apiPath() string {
	if k.Group == "" {
		return "/api/" + k.Version
	}
	return "/apis/" + k.apiVersion()
}

func describePatch(kind Kind) Object {
	parameter := func(name string) Object {
		return Object{"name": name, "in": "query", "schema": Object{"type": "string"}}
	}
	return Object{"patch": Object{
		"parameters":                      []Object{parameter("fieldValidation")},
		"responses":                       Object{"200": Object{"description": "OK"}},
		"x-kubernetes-group-version-kind": Object{"group": kind.Group, "version": kind.Version, "kind": kind.Kind},
	}}
}
