package apiserver

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/kube/schema"
)

type request struct {
	verb        string
	path        string
	kind        kube.Kind
	schema      schema.Schema // of an added kind; nil: it has none
	namespace   string
	name        string
	subresource string
	query       url.Values
	filter      kube.Filter
	table       bool // the response is a table for people
}

func (r request) fullResource() string {
	if r.subresource == "" {
		return r.kind.Resource
	}
	return r.kind.Resource + "/" + r.subresource
}

func (r request) hasFlag(name string) bool {
	value := r.query.Get(name)
	return value == "true" || value == "1"
}

// dryRunAll asks that a write passes all stages but the last one.
const dryRunAll = "All"

// parseOptions validates the parameters of a write, and reports whether it is to be answered and not made.
func (r request) parseOptions() (dryRun bool, err error) {
	options, writes := map[string]string{"create": "CreateOptions", "update": "UpdateOptions", "patch": "PatchOptions", "delete": "DeleteOptions"}[r.verb]
	if !writes {
		return false, nil
	}
	var faults field.ErrorList
	for _, value := range r.query["dryRun"] {
		if value != dryRunAll {
			faults = append(faults, field.NotSupported(field.NewPath("dryRun"), r.query["dryRun"], []string{dryRunAll}))
		}
	}
	validation := r.query.Get("fieldValidation")
	if known := []string{validationIgnore, validationStrict, validationWarn}; validation != "" && !slices.Contains(known, validation) {
		faults = append(faults, field.NotSupported(field.NewPath("fieldValidation"), validation, append([]string{""}, known...)))
	}
	if len(faults) > 0 {
		return false, newInvalid(kube.Kind{Group: "meta.k8s.io", Kind: options}, "", faults)
	}
	return r.query.Has("dryRun"), nil
}

func parseRequest(objects *kube.Objects, r *http.Request) (request, error) {
	parsed := request{path: r.URL.Path, query: r.URL.Query()}
	group, version, rest, ok := splitPath(r.URL.Path)
	if !ok {
		return parsed, newUnknownPath()
	}
	// "namespaces/a/pods" are pods; "namespaces/a" and "namespaces/a/status" are a namespace.
	if len(rest) > 2 && rest[0] == "namespaces" && rest[2] != "status" && rest[2] != "finalize" {
		parsed.namespace, rest = rest[1], rest[2:]
	}
	if len(rest) > 1 {
		parsed.name = rest[1]
	}
	if len(rest) > 2 {
		parsed.subresource = rest[2]
	}
	// Authorization precedes the check whether the kind exists.
	parsed.kind = kube.Kind{Group: group, Version: version, Resource: rest[0]}
	parsed.verb = parseVerb(r.Method, parsed)
	kind, ok := objects.FindKind(parsed.kind.GroupResource())
	switch {
	case len(rest) > 3:
		return parsed, kube.NewUnknownResource()
	case !ok || kind.Version != version:
		return parsed, checkMissing(parsed.kind)
	}
	parsed.kind, parsed.schema = kind, findSchema(objects, kind)
	return parsed, parsed.parseSelectors()
}

// checkMissing returns the error for an unknown kind: for a path without a group it is a plain 404 rather than a Status.
func checkMissing(kind kube.Kind) error {
	if kube.IsBuiltinGroup(kind) {
		return kube.NewUnknownResource()
	}
	return newUnknownPath()
}

func (r *request) parseSelectors() error {
	var err error
	if r.filter.Labels, err = kube.ParseLabels(r.query.Get("labelSelector")); err != nil {
		return err
	}
	r.filter.Fields, err = kube.ParseFields(r.kind, r.query.Get("fieldSelector"))
	return err
}

func splitPath(path string) (group, version string, rest []string, ok bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		return "", parts[1], parts[2:], true
	case len(parts) >= 4 && parts[0] == "apis":
		return parts[1], parts[2], parts[3:], true
	}
	return "", "", nil, false
}

func parseVerb(method string, r request) string {
	switch method {
	case http.MethodGet, http.MethodHead:
		switch {
		case r.hasFlag("watch"):
			return "watch"
		case r.name == "":
			return "list"
		}
		return "get"
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		return "patch"
	case http.MethodDelete:
		return "delete"
	}
	return ""
}

// selectedNode returns the node that a field selector restricts pods to.
func (r request) selectedNode() string {
	for _, term := range r.filter.Fields {
		if term.Key == "spec.nodeName" && term.Operator == "=" {
			return term.Values[0]
		}
	}
	return ""
}

func (r request) buildAttributes(user User) Attributes {
	return Attributes{User: user, Verb: r.verb, Group: r.kind.Group, Resource: r.fullResource(), Namespace: r.namespace,
		Name: r.name, Path: r.path, OwnerOfSpec: r.selectedNode()}
}
