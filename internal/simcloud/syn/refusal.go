package syn

import (
	"fmt"
	"net/http"
)

// refusal is an answer that tells a reason.
type refusal struct {
	status int
	reason string
}

func (r refusal) Error() string { return r.reason }

// The kinds of Lieutenant's objects, as Kubernetes calls them.
const (
	clusterKind = "clusters.syn.tools"
	tenantKind  = "tenants.syn.tools"
)

func refuse(status int, format string, args ...any) error {
	return refusal{status, fmt.Sprintf(format, args...)}
}

// What Kubernetes says is passed on with single quotes.

func notFound(kind, name string) error {
	return refuse(http.StatusNotFound, "%s '%s' not found", kind, name)
}

func alreadyThere(kind, name string) error {
	return refuse(http.StatusConflict, "%s '%s' already exists", kind, name)
}

func unauthorized() error { return refuse(http.StatusUnauthorized, "Unauthorized") }
