package vault

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"exoshift/internal/simcloud/server"
)

// reply is a response. Without a body it is "204 No Content".
type reply struct {
	status int
	body   map[string]any
}

// newDataReply wraps data in the common envelope of responses.
func newDataReply(mountType string, values map[string]any) reply {
	return reply{status: http.StatusOK, body: newEnvelope(mountType, values, nil)}
}

func newEnvelope(mountType string, values, auth map[string]any) map[string]any {
	body := map[string]any{
		"request_id": uuid.NewString(), "lease_id": "", "renewable": false, "lease_duration": 0,
		"data": values, "wrap_info": nil, "warnings": nil, "auth": nil, "mount_type": mountType,
	}
	if auth != nil {
		body["auth"] = auth
	}
	return body
}

func (a reply) write(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-store")
	if a.body == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	server.WriteJSON(w, a.status, a.body)
}

// apiError is an error with Vault's messages.
type apiError struct {
	status int
	errors []string
}

func (r *apiError) Error() string { return fmt.Sprintf("%d %q", r.status, r.errors) }

func newAPIError(status int, format string, args ...any) error {
	return &apiError{status: status, errors: []string{fmt.Sprintf(format, args...)}}
}

var (
	errDenied   = newAPIError(http.StatusForbidden, "permission denied")
	errSealed   = newAPIError(http.StatusServiceUnavailable, "Vault is sealed")
	errNotFound = error(&apiError{status: http.StatusNotFound, errors: []string{}})
	errMethod   = newAPIError(http.StatusMethodNotAllowed, "unsupported operation")
)

func newNoRoute(path string) error {
	return newAPIError(http.StatusNotFound, "no handler for route %q. route entry not found.", path)
}

func writeError(w http.ResponseWriter, err error) {
	r := &apiError{status: http.StatusInternalServerError, errors: []string{err.Error()}}
	errors.As(err, &r)
	reply{status: r.status, body: map[string]any{"errors": r.errors}}.write(w)
}

// servePage serves paths outside of the API: the user interface.
func servePage(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/" {
		http.Redirect(w, r, "/ui/", http.StatusTemporaryRedirect)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = fmt.Fprintln(w, "<!DOCTYPE html><html><head><title>Vault</title></head><body>Vault</body></html>")
}
