package kube

import (
	"fmt"
	"net/http"
)

// Failure is what the API answers instead of an object: a metav1.Status.
type Failure struct {
	Code    int
	Reason  string
	Message string
	Kind    Kind
	Name    string
}

func (f *Failure) Error() string { return f.Message }

func (f *Failure) status() Object {
	return Object{
		"kind": "Status", "apiVersion": "v1", "metadata": Object{}, "status": "Failure",
		"message": f.Message, "reason": f.Reason, "code": f.Code,
		"details": Object{"name": f.Name, "group": f.Kind.Group, "kind": f.Kind.Resource},
	}
}

func notFound(kind Kind, name string) *Failure {
	return &Failure{Code: http.StatusNotFound, Reason: "NotFound", Kind: kind, Name: name,
		Message: fmt.Sprintf("%s %q not found", kind.GroupResource(), name)}
}

func alreadyExists(kind Kind, name string) *Failure {
	return &Failure{Code: http.StatusConflict, Reason: "AlreadyExists", Kind: kind, Name: name,
		Message: fmt.Sprintf("%s %q already exists", kind.GroupResource(), name)}
}

func conflict(kind Kind, name string) *Failure {
	return &Failure{Code: http.StatusConflict, Reason: "Conflict", Kind: kind, Name: name,
		Message: fmt.Sprintf("Operation cannot be fulfilled on %s %q: the object has been modified; "+
			"please apply your changes to the latest version and try again", kind.GroupResource(), name)}
}

func forbidden(request request, user User) *Failure {
	message := fmt.Sprintf("%s %q is forbidden: User %q cannot %s resource %q in API group %q", request.kind.GroupResource(),
		request.name, user.Name, request.verb, request.resource(), request.kind.Group)
	if request.kind.Resource == "" {
		message = fmt.Sprintf("forbidden: User %q cannot %s path %q", user.Name, request.verb, request.path)
	}
	return &Failure{Code: http.StatusForbidden, Reason: "Forbidden", Kind: request.kind, Name: request.name, Message: message}
}

func unauthorized() *Failure {
	return &Failure{Code: http.StatusUnauthorized, Reason: "Unauthorized", Message: "Unauthorized"}
}

func badRequest(format string, args ...any) *Failure {
	return &Failure{Code: http.StatusBadRequest, Reason: "BadRequest", Message: fmt.Sprintf(format, args...)}
}

func unprocessable(kind Kind, name, message string) *Failure {
	return &Failure{Code: http.StatusUnprocessableEntity, Reason: "Invalid", Kind: kind, Name: name,
		Message: fmt.Sprintf("%s %q is invalid: %s", kind.Kind, name, message)}
}

func noSuchPath() *Failure {
	return &Failure{Code: http.StatusNotFound, Reason: "NotFound", Message: "the server could not find the requested resource"}
}

func methodNotAllowed() *Failure {
	return &Failure{Code: http.StatusMethodNotAllowed, Reason: "MethodNotAllowed",
		Message: "the server does not allow this method on the requested resource"}
}

func unsupportedMedia(kind string) *Failure {
	return &Failure{Code: http.StatusUnsupportedMediaType, Reason: "UnsupportedMediaType",
		Message: fmt.Sprintf("the body of the request was in an unknown format - %q is not supported", kind)}
}

func gone(version uint64) *Failure {
	return &Failure{Code: http.StatusGone, Reason: "Expired", Message: fmt.Sprintf("too old resource version: %d", version)}
}

func unavailable(err error) *Failure {
	return &Failure{Code: http.StatusServiceUnavailable, Reason: "ServiceUnavailable", Message: err.Error()}
}

func internalError(err error) *Failure {
	return &Failure{Code: http.StatusInternalServerError, Reason: "InternalError", Message: "Internal error occurred: " + err.Error()}
}
