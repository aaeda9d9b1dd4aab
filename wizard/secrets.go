package wizard

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"exoshift/internal/fileread"
	"exoshift/state"

	"al.essio.dev/pkg/shellescape"
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

func checkReferences(spec state.Spec) []Problem {
	var faults []Problem
	for _, r := range listReferences(spec) {
		if kinds := listKindsOf(r.ref); len(kinds) > 1 {
			faults = append(faults, withField(r.field, newProblem(formatConflict(kinds), r.formatAllowed(), ""))...)
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

// In bytes; pull secrets have a few thousand.
const maxSecret = 1 << 20

// ResolveSecrets resolves the references of spec and returns all problems, by field. White space around a secret is
// trimmed. lookup is os.LookupEnv, except in tests.
func ResolveSecrets(spec state.Spec, lookup func(env string) (string, bool)) (Secrets, []Problem) {
	var secrets Secrets
	var faults []Problem
	for _, r := range listReferences(spec) {
		value, found := r.resolve(lookup)
		if found == nil {
			*r.into(&secrets) = value
		}
		faults = append(faults, withField(r.field, found)...)
	}
	return secrets, faults
}

type secretField struct {
	field    string
	ref      state.SecretRef
	optional bool // the reference may be missing
	rule     rule
	into     func(*Secrets) *string
	exo      func(exoAccount) string // its value in an account of exo; nil where no account is allowed
}

func listReferences(spec state.Spec) []secretField {
	return []secretField{
		{field: apiKeyKey, ref: spec.Exoscale.APIKey, rule: validateOneWord, exo: exoAccount.apiKey,
			into: func(s *Secrets) *string { return &s.APIKey }},
		{field: apiSecretKey, ref: spec.Exoscale.APISecret, rule: validateOneWord, exo: exoAccount.apiSecret,
			into: func(s *Secrets) *string { return &s.APISecret }},
		{field: PullSecretKey, ref: spec.OpenShift.PullSecret, rule: pullSecretOf(spec.OpenShift.Distribution),
			optional: isPullSecretOptional(spec), into: func(s *Secrets) *string { return &s.PullSecret }},
		{field: gitTokenKey, ref: spec.Syn.GitToken, rule: validateOneWord, optional: true,
			into: func(s *Secrets) *string { return &s.GitToken }},
	}
}

func (r secretField) resolve(lookup func(string) (string, bool)) (string, []Problem) {
	if r.optional && r.ref == (state.SecretRef{}) {
		return "", nil
	}
	value, faults := r.readValue(lookup)
	if faults == nil {
		faults = r.rule(value)
	}
	return value, faults
}

func (r secretField) formatAllowed() string {
	if r.exo != nil {
		return keyPlace
	}
	return onePlace
}

// Keys are pasted from a browser, sometimes with more text.
func validateOneWord(secret string) []Problem {
	if strings.ContainsFunc(secret, unicode.IsSpace) {
		return newProblem("the secret holds white space", "one word", "")
	}
	return nil
}

func (r secretField) readValue(lookup func(string) (string, bool)) (string, []Problem) {
	switch kinds := listKindsOf(r.ref); {
	case len(kinds) == 0:
		return "", newProblem("is missing", r.formatAllowed(), "")
	case len(kinds) > 1:
		return "", newProblem(formatConflict(kinds), r.formatAllowed(), "")
	case r.ref.File != "":
		return readSecret(r.ref.File)
	case r.ref.Exo != "" && r.exo != nil:
		return readExoSecret(r.ref.Exo, r.exo, lookup)
	}
	if faults := validateReference(formatReference(r.ref)); faults != nil {
		return "", faults
	}
	value, set := lookup(r.ref.Env)
	if value = strings.TrimSpace(value); value == "" {
		return "", newProblem(fmt.Sprintf("the environment variable %s is %s", r.ref.Env, formatUnset(set)), "export "+r.ref.Env+"=…", "")
	}
	return value, nil
}

func formatUnset(set bool) string {
	if set {
		return "empty"
	}
	return "not set"
}

// The file must be accessible by its owner only.
func readSecret(path string) (string, []Problem) {
	info, faults := statRegular(path)
	switch {
	case faults != nil:
		return "", faults
	case info.Mode().Perm()&0o077 != 0:
		return "", newProblem(fmt.Sprintf("%s is open to group or others (mode %04o)", path, info.Mode().Perm()),
			"access for its owner only: chmod 600 "+shellescape.Quote(path), "")
	}
	content, faults := readRegular(path, maxSecret, fileread.Text)
	value := strings.TrimSpace(string(content))
	if faults == nil && value == "" {
		return "", newProblem(path+" is empty", "a file that holds the secret", "")
	}
	return value, faults
}
