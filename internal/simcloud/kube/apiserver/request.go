package apiserver

import (
	"net/http"
	"net/url"
	"strings"

	"exoshift/internal/simcloud/kube"
)

type request struct {
	verb        string
	path        string
	kind        kube.Kind
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

// isDryRun reports whether a write is to be answered and not made; other values than "All" are invalid.
func (r request) isDryRun() (bool, error) {
	asked := r.query["dryRun"]
	for _, value := range asked {
		if value != dryRunAll {
			return false, kube.NewBadRequest("dryRun: Unsupported value: %q: supported values: \"All\"", value)
		}
	}
	return len(asked) > 0, nil
}

func parseRequest(objects *kube.Objects, r *http.Request) (request, error) {
	parsed := request{path: r.URL.Path, query: r.URL.Query(), table: isTableRequest(r)}
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
	parsed.kind = kind
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
