package apiserver

import (
	"reflect"
	"regexp"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/kube/schema"
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
	return nil
}

func newMismatchError(object, path string) error {
	return kube.NewBadRequest("the name of the object (%s) does not match the name on the URL (%s)", object, path)
}

// validate returns all faults of an object as one error.
func (r request) validate(object kube.Object) error {
	var faults field.ErrorList
	metadata := field.NewPath("metadata")
	if name := object.Name(); name != "" && !objectName.MatchString(name) {
		faults = append(faults, field.Invalid(metadata.Child("name"), name, "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "+
			"characters, '-' or '.', and must start and end with an alphanumeric character"))
	}
	for key, item := range object.Map("metadata.labels") {
		value, _ := item.(string)
		switch {
		case !kube.IsLabelKey(key):
			faults = append(faults, field.Invalid(metadata.Child("labels"), key, "name part must consist of alphanumeric characters, '-', '_' or '.'"))
		case !kube.IsLabelValue(value):
			faults = append(faults, field.Invalid(metadata.Child("labels"), value, "a valid label must be an empty string or consist of alphanumeric "+
				"characters, '-', '_' or '.', and must start and end with an alphanumeric character"))
		}
	}
	faults = append(append(faults, checkRules(r.kind, object)...), r.schema.Validate(object)...)
	if len(faults) > 0 {
		return newInvalid(r.kind, object.Name(), faults)
	}
	return nil
}

// findSchema returns the schema of an added kind, or nil.
func findSchema(objects *kube.Objects, kind kube.Kind) schema.Schema {
	if !kind.Added {
		return nil
	}
	definition, _ := objects.Find(kube.DefinitionResource, "", kind.GroupResource())
	return schema.Find(definition.Object, kind.Version)
}

// validateChange validates a change of an object, and normalizes the result.
func (r request) validateChange(before, after kube.Object) error {
	switch {
	case r.kind.GroupResource() == kube.CSRResource && !reflect.DeepEqual(before["status"], after["status"]):
		return validateDecision(r, before, after)
	case r.kind.GroupResource() == "secrets" && before.GetString("type") != after.GetString("type"):
		return kube.NewInvalid(r.kind, r.name, "type: Invalid value: field is immutable")
	}
	if faults := checkImmutable(r.kind, before, after); len(faults) > 0 {
		return newInvalid(r.kind, r.name, faults)
	}
	for _, key := range []string{"labels", "annotations"} {
		if metadata := after.Map("metadata"); !r.kind.Added && len(after.Map("metadata."+key)) == 0 {
			delete(metadata, key)
		}
	}
	return r.validate(after)
}

func isNumber(text string) bool {
	_, err := strconv.ParseUint(text, 10, 64)
	return err == nil
}
