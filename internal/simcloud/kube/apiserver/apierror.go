package apiserver

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"exoshift/internal/simcloud/kube"
)

func newConflict(kind kube.Kind, name string) *kube.StatusError {
	return &kube.StatusError{Code: http.StatusConflict, Reason: "Conflict", Kind: kind, Name: name,
		Message: fmt.Sprintf("Operation cannot be fulfilled on %s %q: the object has been modified; "+
			"please apply your changes to the latest version and try again", kind.GroupResource(), name)}
}

// newApplyConflict is for an apply that would change fields of others.
func newApplyConflict(kind kube.Kind, name string, conflicts []applyConflict) *kube.StatusError {
	failure := &kube.StatusError{Code: http.StatusConflict, Reason: "Conflict", Kind: kind, Name: name}
	fields := map[string][]string{}
	for _, conflict := range conflicts {
		fields[conflict.owner] = append(fields[conflict.owner], "- "+conflict.path)
		failure.Causes = append(failure.Causes, kube.Object{"reason": "FieldManagerConflict", "message": "conflict with " + conflict.owner, "field": conflict.path})
	}
	if len(conflicts) == 1 {
		failure.Message = fmt.Sprintf("Apply failed with 1 conflict: conflict with %s: %s", conflicts[0].owner, conflicts[0].path)
		return failure
	}
	var lines []string
	for _, owner := range slices.Sorted(maps.Keys(fields)) {
		lines = append(append(lines, "conflicts with "+owner+":"), fields[owner]...)
	}
	failure.Message = fmt.Sprintf("Apply failed with %d conflicts: %s", len(conflicts), strings.Join(lines, "\n"))
	return failure
}

// newManagerRequired is for an apply without a field manager.
func newManagerRequired() *kube.StatusError {
	return &kube.StatusError{Code: http.StatusUnprocessableEntity, Reason: "Invalid", Kind: kube.Kind{Group: "meta.k8s.io", Kind: "PatchOptions"}, Invalid: true,
		Message: `PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch`}
}

func newForbidden(request request, user User) *kube.StatusError {
	object, scope := request.kind.GroupResource(), "at the cluster scope"
	if request.name != "" {
		object += fmt.Sprintf(" %q", request.name)
	}
	if request.namespace != "" {
		scope = fmt.Sprintf("in the namespace %q", request.namespace)
	}
	message := fmt.Sprintf("%s is forbidden: User %q cannot %s resource %q in API group %q %s",
		object, user.Name, request.verb, request.fullResource(), request.kind.Group, scope)
	if request.kind.Resource == "" {
		message = fmt.Sprintf("forbidden: User %q cannot %s path %q", user.Name, request.verb, request.path)
	}
	return &kube.StatusError{Code: http.StatusForbidden, Reason: "Forbidden", Kind: request.kind, Name: request.name, Message: message}
}

// newTerminating is for an object in a namespace that is being deleted.
func newTerminating(kind kube.Kind, name, namespace string) *kube.StatusError {
	return &kube.StatusError{Code: http.StatusForbidden, Reason: "Forbidden", Kind: kind, Name: name,
		Message: fmt.Sprintf("%s %q is forbidden: unable to create new content in namespace %s because it is being terminated", kind.GroupResource(), name, namespace),
		Causes:  []kube.Object{{"reason": "NamespaceTerminating", "message": fmt.Sprintf("namespace %s is being terminated", namespace), "field": "metadata.namespace"}}}
}

func newUnauthorized() *kube.StatusError {
	return &kube.StatusError{Code: http.StatusUnauthorized, Reason: "Unauthorized", Message: "Unauthorized"}
}

// newVersionRequired is for an update of an added kind without a resource version.
func newVersionRequired(kind kube.Kind, name string) *kube.StatusError {
	return &kube.StatusError{Code: http.StatusUnprocessableEntity, Reason: "Invalid", Kind: kind, Name: name,
		Message: fmt.Sprintf("%s %q is invalid: metadata.resourceVersion: Invalid value: 0x0: must be specified for an update",
			kind.GroupResource(), name),
		Causes: []kube.Object{{"reason": "FieldValueInvalid", "message": "Invalid value: 0x0: must be specified for an update", "field": "metadata.resourceVersion"}}}
}

// newUndecodable is for a patch whose result is not an object of its kind.
func newUndecodable(patched string, cause error) *kube.StatusError {
	return newInvalid(kube.Kind{}, "", field.ErrorList{field.Invalid(field.NewPath("patch"), patched, cause.Error())})
}

// newInvalid is for an object that does not pass validation, with the cause of each fault.
func newInvalid(kind kube.Kind, name string, faults field.ErrorList) *kube.StatusError {
	failure := kube.NewInvalid(kind, name, faults.ToAggregate().Error())
	failure.Causes = nil
	for _, fault := range faults {
		failure.Causes = append(failure.Causes, kube.Object{"reason": string(fault.Type), "message": fault.ErrorBody(), "field": fault.Field})
	}
	return failure
}

func newPreconditionFailed(kind kube.Kind, name, message string) *kube.StatusError {
	return &kube.StatusError{Code: http.StatusConflict, Reason: "Conflict", Kind: kind, Name: name, Message: fmt.Sprintf(
		"Operation cannot be fulfilled on %s %q: the %s in the precondition does not match", kind.Kind, name, message)}
}

func newUnknownPath() *kube.StatusError {
	return &kube.StatusError{Code: http.StatusNotFound, Reason: "NotFound", Message: "404 page not found", Plain: true}
}

func newMethodNotAllowed() *kube.StatusError {
	return &kube.StatusError{Code: http.StatusMethodNotAllowed, Reason: "MethodNotAllowed",
		Message: "the server does not allow this method on the requested resource"}
}

func newUnsupportedMediaType(kind string) *kube.StatusError {
	return &kube.StatusError{Code: http.StatusUnsupportedMediaType, Reason: "UnsupportedMediaType",
		Message: fmt.Sprintf("the body of the request was in an unknown format - %q is not supported", kind)}
}

func newExpiredContinue() *kube.StatusError {
	return &kube.StatusError{Code: http.StatusGone, Reason: "Expired", Message: "The provided continue parameter is too old to display a " +
		"consistent list result. You can start a new list without the continue parameter."}
}

func newServiceUnavailable(err error) *kube.StatusError {
	return &kube.StatusError{Code: http.StatusServiceUnavailable, Reason: "ServiceUnavailable", Message: err.Error()}
}

func newUnknownError(message string) *kube.StatusError {
	return &kube.StatusError{Code: http.StatusInternalServerError, Message: message}
}

func newInternalError(err error) *kube.StatusError {
	return &kube.StatusError{Code: http.StatusInternalServerError, Reason: "InternalError", Message: "Internal error occurred: " + err.Error()}
}
