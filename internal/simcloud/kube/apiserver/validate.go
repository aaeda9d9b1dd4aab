package apiserver

import (
	"encoding/base64"
	"reflect"
	"regexp"
	"slices"
	"strconv"

	"exoshift/internal/simcloud/kube"
)

// objectName matches the names of objects: lower-case DNS names, and for RBAC with colons.
var objectName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.:]*[a-z0-9])?$`)

// validateObject compares the object's kind, namespace and name with the path's.
func (r request) validateObject(object kube.Object) error {
	if object.GetString("kind") != r.kind.Kind || object.GetString("apiVersion") != r.kind.APIVersion() {
		return kube.NewBadRequest("the object provided is unrecognized (must be of type %s): %s, %s", r.kind.Kind, object.GetString("apiVersion"), object.GetString("kind"))
	}
	if namespace := object.Namespace(); r.kind.Namespaced && namespace != "" && namespace != r.namespace {
		return kube.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	if r.name != "" && object.Name() != r.name {
		return newMismatchError(object.Name(), r.name)
	}
	if err := validateTypes(r.kind, object); err != nil {
		return kube.NewBadRequest("%v", err)
	}
	return nil
}

func newMismatchError(object, path string) error {
	return kube.NewBadRequest("the name of the object (%s) does not match the name on the URL (%s)", object, path)
}

// validateTypes checks only fields whose types clients of this API have had wrong.
func validateTypes(kind kube.Kind, object kube.Object) error {
	if kind.GroupResource() != "configmaps" && kind.GroupResource() != "secrets" {
		return nil
	}
	for key, value := range object.Map("data") {
		text, ok := value.(string)
		if _, err := base64.StdEncoding.DecodeString(text); !ok || err != nil && kind.Resource == "secrets" {
			return newUndecodable("data." + key + " cannot be decoded")
		}
	}
	return nil
}

func valid(kind kube.Kind, object kube.Object) error {
	if name := object.Name(); name != "" && !objectName.MatchString(name) {
		return kube.NewInvalid(kind, name, "metadata.name: Invalid value: it must be a lowercase RFC 1123 subdomain")
	}
	for key, value := range object.Labels() {
		if !kube.IsLabelKey(key) || !kube.IsLabelValue(value) {
			return kube.NewInvalid(kind, object.Name(), "metadata.labels: Invalid value: "+strconv.Quote(key))
		}
	}
	effects := []string{"NoSchedule", "PreferNoSchedule", "NoExecute"}
	for _, taint := range object.List("spec.taints") {
		if effect := taint.GetString("effect"); kind.GroupResource() == "nodes" && !slices.Contains(effects, effect) {
			return kube.NewInvalid(kind, object.Name(), "spec.taints: Unsupported value: "+strconv.Quote(effect))
		}
	}
	return nil
}

// validateChange validates a change of an object, and normalizes the result.
func (r request) validateChange(before, after kube.Object) error {
	switch {
	case r.kind.GroupResource() == kube.CSRResource && !reflect.DeepEqual(before["status"], after["status"]):
		return validateDecision(r, before, after)
	case r.kind.GroupResource() == "secrets" && before.GetString("type") != after.GetString("type"):
		return kube.NewInvalid(r.kind, r.name, "type: Invalid value: field is immutable")
	}
	for _, field := range []string{"labels", "annotations"} {
		if metadata := after.Map("metadata"); !r.kind.Added && len(after.Map("metadata."+field)) == 0 {
			delete(metadata, field)
		}
	}
	return valid(r.kind, after)
}

func isNumber(text string) bool {
	_, err := strconv.ParseUint(text, 10, 64)
	return err == nil
}
