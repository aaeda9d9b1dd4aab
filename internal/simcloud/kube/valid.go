package kube

import (
	"encoding/base64"
	"reflect"
	"regexp"
	"slices"
	"strconv"
)

// objectName is what objects may be called: the lower case of a DNS name. Those of access control may have colons, too.
var objectName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.:]*[a-z0-9])?$`)

// wellFormed checks that what was sent is of the kind, the namespace and the name that the path tells.
func (r request) wellFormed(object Object) error {
	if object.Text("kind") != r.kind.Kind || object.Text("apiVersion") != r.kind.apiVersion() {
		return badRequest("the object provided is unrecognized (must be of type %s): %s, %s", r.kind.Kind, object.Text("apiVersion"), object.Text("kind"))
	}
	if namespace := object.Namespace(); r.kind.Namespaced && namespace != "" && namespace != r.namespace {
		return badRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	if r.name != "" && object.Name() != r.name {
		return misnamed(object.Name(), r.name)
	}
	if err := typed(r.kind, object); err != nil {
		return badRequest("%v", err)
	}
	return nil
}

func misnamed(object, path string) error {
	return badRequest("the name of the object (%s) does not match the name on the URL (%s)", object, path)
}

// typed checks the fields whose types the clients of this API get wrong.
func typed(kind Kind, object Object) error {
	if kind.GroupResource() != "configmaps" && kind.GroupResource() != "secrets" {
		return nil
	}
	for key, value := range object.Map("data") {
		text, ok := value.(string)
		if _, err := base64.StdEncoding.DecodeString(text); !ok || err != nil && kind.Resource == "secrets" {
			return undecodable("data." + key + " cannot be decoded")
		}
	}
	return nil
}

// valid checks what is written into an object.
func valid(kind Kind, object Object) error {
	if name := object.Name(); name != "" && !objectName.MatchString(name) {
		return unprocessable(kind, name, "metadata.name: Invalid value: it must be a lowercase RFC 1123 subdomain")
	}
	for key, value := range object.Labels() {
		if !labelKey.MatchString(key) || !labelValue.MatchString(value) {
			return unprocessable(kind, object.Name(), "metadata.labels: Invalid value: "+strconv.Quote(key))
		}
	}
	effects := []string{"NoSchedule", "PreferNoSchedule", "NoExecute"}
	for _, taint := range object.List("spec.taints") {
		if effect := taint.Text("effect"); kind.GroupResource() == "nodes" && !slices.Contains(effects, effect) {
			return unprocessable(kind, object.Name(), "spec.taints: Unsupported value: "+strconv.Quote(effect))
		}
	}
	return nil
}

// judge checks a change of an object, and tidies up what it leaves.
func (r request) judge(before, after Object) error {
	switch {
	case r.kind.GroupResource() == requests && !reflect.DeepEqual(before["status"], after["status"]):
		return r.judgeDecision(before, after)
	case r.kind.GroupResource() == "secrets" && before.Text("type") != after.Text("type"):
		return unprocessable(r.kind, r.name, "type: Invalid value: field is immutable")
	}
	for _, field := range []string{"labels", "annotations"} {
		if metadata := after.Map("metadata"); !r.kind.Added && len(after.Map("metadata."+field)) == 0 {
			delete(metadata, field)
		}
	}
	return valid(r.kind, after)
}

func number(text string) bool {
	_, err := strconv.ParseUint(text, 10, 64)
	return err == nil
}
