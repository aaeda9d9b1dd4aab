package syn

import (
	"fmt"
	"net/http"
)

// apiError is an error response with a reason.
type apiError struct {
	status int
	reason string
}

func (r apiError) Error() string { return r.reason }

// The kinds of Lieutenant's objects in Kubernetes' messages.
const (
	clusterKind = "clusters.syn.tools"
	tenantKind  = "tenants.syn.tools"
)

func newAPIError(status int, format string, args ...any) error {
	return apiError{status, fmt.Sprintf(format, args...)}
}

// Messages of Kubernetes are returned with single quotes.

func newNotFound(kind, name string) error {
	return newAPIError(http.StatusNotFound, "%s '%s' not found", kind, name)
}

func newAlreadyExists(kind, name string) error {
	return newAPIError(http.StatusConflict, "%s '%s' already exists", kind, name)
}

func newUnauthorized() error { return newAPIError(http.StatusUnauthorized, "Unauthorized") }
