package wizard

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"exoshift/state"
)

// Descriptions of references in problems.
const (
	onePlace = "{env: NAME} or {file: PATH}"
	keyPlace = "{env: NAME}, {file: PATH} or {exo: ACCOUNT}" // for the API's key and secret
)

func listReferenceKinds() []string { return []string{"env", "file", "exo"} }

func partOf(ref *state.SecretRef, kind string) *string {
	switch kind {
	case "env":
		return &ref.Env
	case "file":
		return &ref.File
	}
	return &ref.Exo
}

func listKindsOf(ref state.SecretRef) []string {
	return slices.DeleteFunc(listReferenceKinds(), func(kind string) bool { return *partOf(&ref, kind) == "" })
}

func formatConflict(kinds []string) string {
	if len(kinds) == 2 {
		return "names both " + kinds[0] + " and " + kinds[1]
	}
	return "names " + strings.Join(kinds, ", ")
}

func bindReference(at func(*state.Spec) *state.SecretRef) binding {
	return binding{
		shape: Reference,
		load:  func(s *state.Spec) string { return formatReference(*at(s)) },
		store: func(s *state.Spec, value string) error {
			kind, name, _ := strings.Cut(value, ":")
			var ref state.SecretRef
			switch {
			case value == "":
			case slices.Contains(listReferenceKinds(), kind) && strings.TrimSpace(name) != "":
				*partOf(&ref, kind) = strings.TrimSpace(name)
			default: // the value is not repeated: it may be the secret
				return errors.New("the value is no reference")
			}
			*at(s) = ref
			return nil
		},
	}
}

func formatReference(ref state.SecretRef) string {
	for _, kind := range listKindsOf(ref) {
		return kind + ":" + *partOf(&ref, kind)
	}
	return ""
}

// validateReference does not repeat invalid names: they may be the secret itself.
func validateReference(value string) []Problem {
	kind, name, _ := strings.Cut(value, ":")
	switch {
	case kind == "exo":
		return newProblem("the program exo keeps API keys only", onePlace, "")
	case detectSecret(name) != "":
		return newProblem("this looks like "+detectSecret(name)+" itself", "the name of an environment variable, or the path of a file", "")
	case kind == "file":
		return validatePrintable(name)
	case !regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(name):
		return newProblem("the value of env is no name of an environment variable", "letters, digits and '_'", "")
	}
	return nil
}

func validateAccountReference(value string) []Problem {
	account, isExo := strings.CutPrefix(value, "exo:")
	if !isExo {
		return validateReference(value)
	}
	if what := detectSecret(account); what != "" {
		return newProblem("this looks like "+what+" itself", "the name of an account of the program exo", "")
	}
	return validatePrintable(account)
}

// detectSecret describes what was probably given instead of a name or path: an API key, or a secret, which is a long
// random word. Exoscale's have 43 characters. Otherwise it returns "".
func detectSecret(name string) string {
	long := regexp.MustCompile(`^[A-Za-z0-9_-]{40,}$`).MatchString(name)
	switch {
	case regexp.MustCompile(`^EXO[0-9a-f]{20,}$`).MatchString(name):
		return "an API key"
	case long && strings.ContainsFunc(name, unicode.IsLower) && strings.ContainsFunc(name, unicode.IsUpper) && strings.ContainsFunc(name, unicode.IsDigit):
		return "a secret"
	}
	return ""
}

func hasAccountReference(f Field) bool { return f.rule != nil && f.rule("exo:account") == nil }

func checkReferences(spec state.Spec) []Problem {
	var faults []Problem
	for _, r := range listReferences(spec) {
		if kinds := listKindsOf(r.ref); len(kinds) > 1 {
			faults = append(faults, withField(r.field, newProblem(formatConflict(kinds), r.formatAllowed(), ""))...)
		}
	}
	return faults
}
