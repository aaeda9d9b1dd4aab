package wizard

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"exoshift/state"
)

// What a reference is, in the words of faults.
const (
	onePlace = "{env: NAME} or {file: PATH}"
	keyPlace = "{env: NAME}, {file: PATH} or {exo: ACCOUNT}" // of the API's key and secret
)

// referenceKinds are the kinds of references, as the answers file names them.
func referenceKinds() []string { return []string{"env", "file", "exo"} }

// part returns the part of a reference that is of this kind.
func part(ref *state.SecretRef, kind string) *string {
	switch kind {
	case "env":
		return &ref.Env
	case "file":
		return &ref.File
	}
	return &ref.Exo
}

// kindsOf returns the kinds of a reference, of which there should be one.
func kindsOf(ref state.SecretRef) []string {
	return slices.DeleteFunc(referenceKinds(), func(kind string) bool { return *part(&ref, kind) == "" })
}

func several(kinds []string) string {
	if len(kinds) == 2 {
		return "names both " + kinds[0] + " and " + kinds[1]
	}
	return "names " + strings.Join(kinds, ", ")
}

func reference(at func(*state.Spec) *state.SecretRef) binding {
	return binding{
		shape: Reference,
		load:  func(s *state.Spec) string { return referenceText(*at(s)) },
		store: func(s *state.Spec, value string) error {
			kind, name, _ := strings.Cut(value, ":")
			var ref state.SecretRef
			switch {
			case value == "":
			case slices.Contains(referenceKinds(), kind) && strings.TrimSpace(name) != "":
				*part(&ref, kind) = strings.TrimSpace(name)
			default: // the value is not repeated: it may be the secret
				return errors.New("the value is no reference")
			}
			*at(s) = ref
			return nil
		},
	}
}

// referenceText writes a reference as kind:name.
func referenceText(ref state.SecretRef) string {
	for _, kind := range kindsOf(ref) {
		return kind + ":" + *part(&ref, kind)
	}
	return ""
}

// referenceRule wants the name of an environment variable, or a path. It does not repeat names that are none: the
// secret itself may stand there.
func referenceRule(value string) []Fault {
	kind, name, _ := strings.Cut(value, ":")
	switch {
	case kind == "exo":
		return wrong("the program exo keeps API keys only", onePlace, "")
	case secretItself(name) != "":
		return wrong("this looks like "+secretItself(name)+" itself", "the name of an environment variable, or the path of a file", "")
	case kind == "file":
		return printable(name)
	case !regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(name):
		return wrong("the value of env is no name of an environment variable", "letters, digits and '_'", "")
	}
	return nil
}

// accountRule allows the accounts of the program exo in addition.
func accountRule(value string) []Fault {
	account, isExo := strings.CutPrefix(value, "exo:")
	if !isExo {
		return referenceRule(value)
	}
	if what := secretItself(account); what != "" {
		return wrong("this looks like "+what+" itself", "the name of an account of the program exo", "")
	}
	return printable(account)
}

// secretItself says what seems to stand in place of the name of a variable, a file or an account: an API key, or a
// secret, which is a long word that nobody would think of. Exoscale's have 43 characters. Otherwise it returns "".
func secretItself(name string) string {
	long := regexp.MustCompile(`^[A-Za-z0-9_-]{40,}$`).MatchString(name)
	switch {
	case regexp.MustCompile(`^EXO[0-9a-f]{20,}$`).MatchString(name):
		return "an API key"
	case long && strings.ContainsFunc(name, unicode.IsLower) && strings.ContainsFunc(name, unicode.IsUpper) && strings.ContainsFunc(name, unicode.IsDigit):
		return "a secret"
	}
	return ""
}

// accountAllowed tells whether a field may refer to an account of the program exo.
func accountAllowed(f Field) bool { return f.rule != nil && f.rule("exo:account") == nil }

// singleReferences refuses references to several places at once.
func singleReferences(spec state.Spec) []Fault {
	var faults []Fault
	for _, r := range references(spec) {
		if kinds := kindsOf(r.ref); len(kinds) > 1 {
			faults = append(faults, of(r.field, wrong(several(kinds), r.allowed(), ""))...)
		}
	}
	return faults
}
