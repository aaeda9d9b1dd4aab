// Package restoration is the vocabulary of objects of the API that are restored from a backup: their kinds, and why the API refuses one.
package restoration

import (
	"cmp"
	"encoding/json"
	"strings"
)

// FieldManager is the name under which the API records the fields that a restoration writes.
const FieldManager = "exoshift-restore"

// Kind is a kind of objects that the API serves.
type Kind struct {
	Group      string // "": Kubernetes' own, as of pods
	Version    string // that the API prefers
	Resource   string // plural, such as configmaps
	Kind       string // such as ConfigMap
	Singular   string // such as configmap
	ShortNames []string
	Namespaced bool
	// Rank is in which order kinds are applied: what others need comes first.
	Rank int
}

// Name returns the kind as kubectl writes it: configmaps, deployments.apps.
func (k Kind) Name() string {
	if k.Group == "" {
		return k.Resource
	}
	return k.Resource + "." + k.Group
}

// FormatOne returns what one object of the kind is called: configmap, deployment.
func (k Kind) FormatOne() string { return cmp.Or(k.Singular, strings.ToLower(k.Kind)) }

// Object is one object of a kind.
type Object struct {
	Kind      Kind
	Version   string // of the API, in which the object is written: v1, apps/v1
	Namespace string // "": the kind has none
	Name      string
	Content   json.RawMessage // the object itself
}

// ID returns the object for messages: configmaps shop/settings.
func (o Object) ID() string { return o.Kind.Name() + " " + o.QualifiedName() }

// QualifiedName returns the name with the namespace, if there is one: shop/settings.
func (o Object) QualifiedName() string {
	if o.Namespace == "" {
		return o.Name
	}
	return o.Namespace + "/" + o.Name
}

// RefusedError is why the API refuses an object. It has no value of the object.
type RefusedError struct{ Reason string }

// Error implements error.
func (e *RefusedError) Error() string { return e.Reason }
