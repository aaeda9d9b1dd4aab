package wizard

import (
	"fmt"
	"strings"
	"unicode"

	"al.essio.dev/pkg/shellescape"

	"exoshift/internal/fileread"
	"exoshift/state"
)

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
		{field: pullSecretKey, ref: spec.OpenShift.PullSecret, rule: pullSecretOf(spec.OpenShift.Distribution),
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
