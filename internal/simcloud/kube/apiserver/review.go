package apiserver

import (
	"net/http"
	"slices"
	"time"

	"exoshift/internal/simcloud/kube"
)

// Reviews that every authenticated user may create about themselves. They are not stored.
const (
	selfSubjectReviews = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
	selfAccessReviews  = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
)

func (s *Server) serveReview(w http.ResponseWriter, r *http.Request, user User) (bool, error) {
	if r.Method != http.MethodPost || !slices.Contains([]string{selfSubjectReviews, selfAccessReviews}, r.URL.Path) {
		return false, nil
	}
	if !user.HasGroup(authenticated) {
		return true, newForbidden(request{verb: "create", path: r.URL.Path}, user)
	}
	object, err := decode(r)
	if err != nil {
		return true, err
	}
	if object.Map("metadata") == nil {
		object["metadata"] = kube.Object{}
	}
	object.Set("metadata.creationTimestamp", s.Objects.Now().UTC().Format(time.RFC3339))
	if r.URL.Path == selfSubjectReviews {
		object["status"] = kube.Object{"userInfo": kube.Object{"username": user.Name, "groups": user.Groups}}
	} else {
		object["status"] = kube.Object{"allowed": s.Authorize(parseReviewAttributes(object, user))}
	}
	writeJSON(w, http.StatusCreated, object)
	return true, nil
}

func parseReviewAttributes(object kube.Object, user User) Attributes {
	const resource, path = "spec.resourceAttributes.", "spec.nonResourceAttributes."
	asked := Attributes{User: user, Verb: object.GetString(resource + "verb"), Group: object.GetString(resource + "group"), Resource: object.GetString(resource + "resource"),
		Namespace: object.GetString(resource + "namespace"), Name: object.GetString(resource + "name"), Path: object.GetString(path + "path")}
	if sub := object.GetString(resource + "subresource"); sub != "" {
		asked.Resource += "/" + sub
	}
	if verb := object.GetString(path + "verb"); verb != "" {
		asked.Verb = verb
	}
	return asked
}
