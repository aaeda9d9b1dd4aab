package wizard

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"exoshift/state"
	"exoshift/wizard/recognize"
)

// Descriptions of references in problems.
const (
	ReferenceForm = "{env: NAME} or {file: PATH}"
	keyPlace      = "{env: NAME}, {file: PATH} or {exo: ACCOUNT}" // for the API's key and secret
)

// ListReferenceKinds returns the kinds of references to secrets.
func ListReferenceKinds() []string { return []string{"env", "file", "exo"} }

func partOf(ref *state.SecretRef, kind string) *string {
	switch kind {
	case "env":
		return &ref.Env
	case "file":
		return &ref.File
	}
	return &ref.Exo
}

// ListKindsOf returns the kinds that a reference names; a valid one names one.
func ListKindsOf(ref state.SecretRef) []string {
	return slices.DeleteFunc(ListReferenceKinds(), func(kind string) bool { return *partOf(&ref, kind) == "" })
}

// FormatConflict describes a reference of several kinds.
func FormatConflict(kinds []string) string {
	if len(kinds) == 2 {
		return "sets both " + kinds[0] + " and " + kinds[1]
	}
	return "names " + strings.Join(kinds, ", ")
}

func bindReference(at func(*state.Spec) *state.SecretRef) binding {
	return binding{
		shape: Reference,
		load:  func(s *state.Spec) string { return FormatReference(*at(s)) },
		store: func(s *state.Spec, value string) error {
			kind, name, _ := strings.Cut(value, ":")
			var ref state.SecretRef
			switch {
			case value == "":
			case slices.Contains(ListReferenceKinds(), kind) && strings.TrimSpace(name) != "":
				*partOf(&ref, kind) = strings.TrimSpace(name)
			default: // the value is not repeated: it may be the secret
				return errors.New("the value is not a reference")
			}
			*at(s) = ref
			return nil
		},
	}
}

// FormatReference returns a reference as text, e.g. env:NAME.
func FormatReference(ref state.SecretRef) string {
	for _, kind := range ListKindsOf(ref) {
		return kind + ":" + *partOf(&ref, kind)
	}
	return ""
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// ValidateReference does not repeat invalid names: they may be the secret itself.
func ValidateReference(value string) []Problem {
	kind, name, _ := strings.Cut(value, ":")
	switch {
	case kind == "exo":
		return NewProblem("the exo CLI stores only API keys", ReferenceForm, "")
	case recognize.SecretAsName(name) != "":
		return NewProblem("this looks like "+recognize.SecretAsName(name)+" itself", "the name of an environment variable, or the path of a file", "")
	case kind == "file":
		return ValidatePrintable(name)
	case !variableName.MatchString(name):
		return NewProblem("the value of env is not a valid environment variable name", "letters, digits and '_'", "")
	}
	return nil
}

func validateAccountReference(value string) []Problem {
	account, isExo := strings.CutPrefix(value, "exo:")
	if !isExo {
		return ValidateReference(value)
	}
	if what := recognize.SecretAsName(account); what != "" {
		return NewProblem("this looks like "+what+" itself", "the name of an exo account", "")
	}
	return ValidatePrintable(account)
}

// FieldReference is the reference to a secret, in the field of that key.
type FieldReference struct {
	Key     string
	Ref     state.SecretRef
	Allowed string // the form of such a reference, for problems
}

// ListReferences returns the references of a Spec to secrets.
func ListReferences(spec state.Spec) []FieldReference {
	return []FieldReference{
		{APIKeyKey, spec.Exoscale.APIKey, keyPlace}, {APISecretKey, spec.Exoscale.APISecret, keyPlace},
		{PullSecretKey, spec.OpenShift.PullSecret, ReferenceForm}, {GitTokenKey, spec.Syn.GitToken, ReferenceForm},
	}
}

func checkReferences(spec state.Spec) []Problem {
	var faults []Problem
	for _, r := range ListReferences(spec) {
		if kinds := ListKindsOf(r.Ref); len(kinds) > 1 {
			faults = append(faults, WithField(r.Key, NewProblem(FormatConflict(kinds), r.Allowed, ""))...)
		}
	}
	return faults
}

// Secrets are the resolved references of a Spec; the pull secret is empty for OKD if there is none. They do not print:
// every format yields a placeholder.
type Secrets struct{ APIKey, APISecret, PullSecret, GitToken string }

const masked = "(secrets)"

func (Secrets) String() string { return masked }

// GoString masks the format %#v.
func (Secrets) GoString() string { return masked }

// Format masks all formats of package fmt, also those that would print the fields.
func (Secrets) Format(out fmt.State, _ rune) { fmt.Fprint(out, masked) }

// MarshalJSON masks the JSON form.
func (Secrets) MarshalJSON() ([]byte, error) { return []byte(`"` + masked + `"`), nil }
