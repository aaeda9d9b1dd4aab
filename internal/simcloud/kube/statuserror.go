package kube

import (
	"fmt"
	"net/http"
	"strings"
)

// StatusError is the API's error response: a metav1.Status.
type StatusError struct {
	Code    int
	Reason  string
	Message string
	Kind    Kind
	Name    string
	Invalid bool // details name the kind, not the resource
	Plain   bool // the response is plain text, as that of any other HTTP server
	Causes  []Object
}

func (f *StatusError) Error() string { return f.Message }

// ToStatus returns the metav1.Status.
func (f *StatusError) ToStatus() Object {
	details := Object{"name": f.Name, "group": f.Kind.Group, "kind": f.Kind.Resource}
	switch {
	case f.Invalid:
		details["kind"] = f.Kind.Kind
	case f.Reason == "Conflict" && len(f.Causes) > 0: // of an apply
		details = Object{}
	}
	if len(f.Causes) > 0 {
		details["causes"] = f.Causes
	}
	return Object{
		"kind": "Status", "apiVersion": "v1", "metadata": Object{}, "status": "Failure",
		"message": f.Message, "reason": f.Reason, "code": f.Code, "details": details,
	}
}

// NewNotFound is for an object that does not exist.
func NewNotFound(kind Kind, name string) *StatusError {
	return &StatusError{Code: http.StatusNotFound, Reason: "NotFound", Kind: kind, Name: name,
		Message: fmt.Sprintf("%s %q not found", kind.GroupResource(), name)}
}

func newAlreadyExists(kind Kind, name string) *StatusError {
	return &StatusError{Code: http.StatusConflict, Reason: "AlreadyExists", Kind: kind, Name: name,
		Message: fmt.Sprintf("%s %q already exists", kind.GroupResource(), name)}
}

// NewBadRequest is for a request that cannot be read.
func NewBadRequest(format string, args ...any) *StatusError {
	return &StatusError{Code: http.StatusBadRequest, Reason: "BadRequest", Message: fmt.Sprintf(format, args...)}
}

// NewInvalid is for an object that does not pass validation; the message begins with the field: "spec.x: Required value".
func NewInvalid(kind Kind, name, message string) *StatusError {
	qualified := kind.Kind
	if kind.Group != "" {
		qualified += "." + kind.Group
	}
	failure := &StatusError{Code: http.StatusUnprocessableEntity, Reason: "Invalid", Kind: kind, Name: name, Invalid: true,
		Message: fmt.Sprintf("%s %q is invalid: %s", qualified, name, message)}
	field, fault, _ := strings.Cut(message, ": ")
	for start, reason := range map[string]string{"Required value": "FieldValueRequired", "Invalid value": "FieldValueInvalid",
		"Unsupported value": "FieldValueNotSupported", "Forbidden": "FieldValueForbidden"} {
		if strings.HasPrefix(fault, start) {
			failure.Causes = []Object{{"reason": reason, "message": fault, "field": field}}
		}
	}
	return failure
}

// NewUnknownResource is for a resource that the API does not serve.
func NewUnknownResource() *StatusError {
	return &StatusError{Code: http.StatusNotFound, Reason: "NotFound", Message: "the server could not find the requested resource"}
}

// NewResourceExpired is for a version that is not in the log any more.
func NewResourceExpired(version uint64) *StatusError {
	return &StatusError{Code: http.StatusGone, Reason: "Expired", Message: fmt.Sprintf("too old resource version: %d", version)}
}
