package kube

import (
	"net/http"
	"net/url"
	"strings"
)

// request is one call for objects.
type request struct {
	verb        string
	path        string
	kind        Kind
	namespace   string
	name        string
	subresource string
	query       url.Values
	filter      filter
	table       bool // the answer is for people
}

func (r request) resource() string {
	if r.subresource == "" {
		return r.kind.Resource
	}
	return r.kind.Resource + "/" + r.subresource
}

func (r request) flag(name string) bool {
	value := r.query.Get(name)
	return value == "true" || value == "1"
}

// parse finds out what a request is for: the kind by the path's group, version and resource.
func (o *Objects) parse(r *http.Request) (request, error) {
	parsed := request{path: r.URL.Path, query: r.URL.Query(), table: wantsTable(r)}
	group, version, rest, ok := splitPath(r.URL.Path)
	if !ok {
		return parsed, noSuchPath()
	}
	// "namespaces/a/pods" are pods; "namespaces/a" and "namespaces/a/status" are a namespace.
	if len(rest) > 2 && rest[0] == "namespaces" && rest[2] != "status" && rest[2] != "finalize" {
		parsed.namespace, rest = rest[1], rest[2:]
	}
	kind, ok := o.Kind(Kind{Group: group, Resource: rest[0]}.GroupResource())
	if !ok || kind.Version != version || len(rest) > 3 {
		return parsed, noSuchPath()
	}
	parsed.kind = kind
	if len(rest) > 1 {
		parsed.name = rest[1]
	}
	if len(rest) > 2 {
		parsed.subresource = rest[2]
	}
	var err error
	if parsed.filter.labels, err = parseSelector(parsed.query.Get("labelSelector")); err != nil {
		return parsed, err
	}
	if parsed.filter.fields, err = parseSelector(parsed.query.Get("fieldSelector")); err != nil {
		return parsed, err
	}
	parsed.verb = verb(r.Method, parsed)
	return parsed, nil
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

func verb(method string, r request) string {
	switch method {
	case http.MethodGet, http.MethodHead:
		switch {
		case r.flag("watch"):
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

// nodeName is the node that a field selector restricts pods to.
func (r request) nodeName() string {
	for _, term := range r.filter.fields {
		if term.key == "spec.nodeName" && term.operator == "=" {
			return term.values[0]
		}
	}
	return ""
}
