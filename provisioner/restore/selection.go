package restore

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/fault"
	"exoshift/state/restoration"
)

// Selection is which objects of a backup are wanted.
type Selection struct {
	Kinds      []string // as kubectl takes them: plural, singular, short, or with their group
	Namespaces []string // of objects that have one, and the names of namespaces
	Names      []string // of objects; none: all
}

func (s Selection) has(object restoration.Object) bool {
	if len(s.Names) > 0 && !slices.Contains(s.Names, object.Name) {
		return false
	}
	switch {
	case object.Kind.Namespaced:
		return slices.Contains(s.Namespaces, object.Namespace)
	case object.Kind.Name() == kindNamespaces && len(s.Namespaces) > 0:
		return slices.Contains(s.Namespaces, object.Name)
	}
	return true
}

const kindNamespaces = "namespaces"

// selectionError is about what was asked for.
type selectionError struct{ error }

// Unwrap returns the error itself.
func (e selectionError) Unwrap() error { return e.error }

// IsSelectionError reports whether an error is about the kinds and namespaces that were asked for.
func IsSelectionError(err error) bool {
	var selection selectionError
	return errors.As(err, &selection)
}

// resolve returns the kinds that are wanted by their names.
func (s Selection) resolve(served []restoration.Kind) (map[string]restoration.Kind, error) {
	found := map[string]restoration.Kind{}
	for _, word := range s.Kinds {
		kind, err := resolveKind(word, served)
		if err != nil {
			return nil, selectionError{err}
		}
		if kind.Namespaced && len(s.Namespaces) == 0 {
			return nil, selectionError{fault.Newf(fault.Invalid, opRestore, "%s are in namespaces: say in which, with --namespace", kind.Name())}
		}
		found[kind.Name()] = kind
	}
	return found, nil
}

// resolveKind finds a kind as kubectl does: Kubernetes' own before others. Two others of one name are ambiguous.
func resolveKind(word string, served []restoration.Kind) (restoration.Kind, error) {
	var found []restoration.Kind
	for _, kind := range served {
		if isNamed(kind, strings.ToLower(word)) {
			found = append(found, kind)
		}
	}
	for _, isPreferred := range []func(restoration.Kind) bool{func(k restoration.Kind) bool { return k.Group == "" }, isKubernetes} {
		if preferred := slices.IndexFunc(found, isPreferred); preferred >= 0 {
			return found[preferred], nil
		}
	}
	switch len(found) {
	case 0:
		return restoration.Kind{}, fault.Newf(fault.Invalid, opRestore, "the cluster has no kind %q", word).
			WithHint("oc api-resources lists the kinds; what a missing CustomResourceDefinition defines is there after --kind customresourcedefinitions")
	case 1:
		return found[0], nil
	}
	var names []string
	for _, kind := range found {
		names = append(names, kind.Name())
	}
	return restoration.Kind{}, fault.Newf(fault.Invalid, opRestore, "the kind %q is one of several: %s", word, strings.Join(names, ", "))
}

// isKubernetes reports whether a kind is of a group of Kubernetes' own.
func isKubernetes(kind restoration.Kind) bool {
	return !strings.Contains(kind.Group, ".") || strings.HasSuffix(kind.Group, ".k8s.io")
}

func isNamed(kind restoration.Kind, word string) bool {
	names := append([]string{kind.Resource, kind.Singular, strings.ToLower(kind.Kind)}, kind.ShortNames...)
	for _, name := range names {
		if name != "" && (word == name || kind.Group != "" && (word == name+"."+kind.Group || word == fmt.Sprintf("%s.%s.%s", name, kind.Version, kind.Group))) {
			return true
		}
	}
	return false
}
