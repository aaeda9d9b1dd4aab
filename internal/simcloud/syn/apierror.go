package syn

import (
	"fmt"
	"net/http"
)

// apiError is an answer that tells a reason.
type apiError struct {
	status int
	reason string
}

func (r apiError) Error() string { return r.reason }

// The kinds of Lieutenant's objects, as Kubernetes calls them.
const (
	clusterKind = "clusters.syn.tools"
	tenantKind  = "tenants.syn.tools"
)

func newAPIError(status int, format string, args ...any) error {
	return apiError{status, fmt.Sprintf(format, args...)}
}

// What Kubernetes says is passed on with single quotes.

func newNotFound(kind, name string) error {
	return newAPIError(http.StatusNotFound, "%s '%s' not found", kind, name)
}

func newAlreadyExists(kind, name string) error {
	return newAPIError(http.StatusConflict, "%s '%s' already exists", kind, name)
}

func newUnauthorized() error { return newAPIError(http.StatusUnauthorized, "Unauthorized") }
