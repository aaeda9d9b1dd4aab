package kube

import (
	"net/http"
	"slices"
	"time"
)

// What everybody who is somebody may ask about themselves. Neither is an object that is kept.
const (
	whoAmI   = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
	whatMayI = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
)

// review answers who asks, and what they may do.
func (s *Server) review(w http.ResponseWriter, r *http.Request, user User) (bool, error) {
	if r.Method != http.MethodPost || !slices.Contains([]string{whoAmI, whatMayI}, r.URL.Path) {
		return false, nil
	}
	if !user.In(authenticated) {
		return true, forbidden(request{verb: "create", path: r.URL.Path}, user)
	}
	object, err := decode(r)
	if err != nil {
		return true, err
	}
	if object.Map("metadata") == nil {
		object["metadata"] = Object{}
	}
	object.Set("metadata.creationTimestamp", s.Objects.now().UTC().Format(time.RFC3339))
	if r.URL.Path == whoAmI {
		object["status"] = Object{"userInfo": Object{"username": user.Name, "groups": user.Groups}}
	} else {
		object["status"] = Object{"allowed": s.Authorize(reviewed(object, user))}
	}
	answer(w, http.StatusCreated, object)
	return true, nil
}

// reviewed is what a review asks for.
func reviewed(object Object, user User) Attributes {
	const resource, path = "spec.resourceAttributes.", "spec.nonResourceAttributes."
	asked := Attributes{User: user, Verb: object.Text(resource + "verb"), Group: object.Text(resource + "group"), Resource: object.Text(resource + "resource"),
		Namespace: object.Text(resource + "namespace"), Name: object.Text(resource + "name"), Path: object.Text(path + "path")}
	if sub := object.Text(resource + "subresource"); sub != "" {
		asked.Resource += "/" + sub
	}
	if verb := object.Text(path + "verb"); verb != "" {
		asked.Verb = verb
	}
	return asked
}
