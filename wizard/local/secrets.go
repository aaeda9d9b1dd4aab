package local

import (
	"fmt"
	"strings"
	"unicode"

	"exoshift/internal/fileread"
	"exoshift/state"
	"exoshift/wizard"

	"al.essio.dev/pkg/shellescape"
)

// In bytes; pull secrets have a few thousand.
const maxSecret = 1 << 20

// ResolveSecrets resolves the references of spec and returns all problems, by field. White space around a secret is
// trimmed. lookup is os.LookupEnv, except in tests.
func ResolveSecrets(spec state.Spec, lookup func(env string) (string, bool)) (wizard.Secrets, []wizard.Problem) {
	var secrets wizard.Secrets
	var faults []wizard.Problem
	for _, r := range wizard.ListReferences(spec) {
		field := newSecretField(r, spec)
		value, found := field.resolve(lookup)
		if found == nil {
			*field.into(&secrets) = value
		}
		faults = append(faults, wizard.WithField(r.Key, found)...)
	}
	return secrets, faults
}

type secretField struct {
	wizard.FieldReference
	optional bool // the reference may be missing
	rule     func(value string) []wizard.Problem
	into     func(*wizard.Secrets) *string
	exo      func(exoAccount) string // its value in an account of exo; nil where no account is allowed
}

func newSecretField(r wizard.FieldReference, spec state.Spec) secretField {
	field := secretField{FieldReference: r, rule: validateOneWord}
	switch r.Key {
	case wizard.APIKeyKey:
		field.exo, field.into = exoAccount.apiKey, func(s *wizard.Secrets) *string { return &s.APIKey }
	case wizard.APISecretKey:
		field.exo, field.into = exoAccount.apiSecret, func(s *wizard.Secrets) *string { return &s.APISecret }
	case wizard.PullSecretKey:
		field.rule, field.optional = pullSecretOf(spec.OpenShift.Distribution), wizard.IsPullSecretOptional(spec)
		field.into = func(s *wizard.Secrets) *string { return &s.PullSecret }
	case wizard.GitTokenKey:
		field.optional, field.into = true, func(s *wizard.Secrets) *string { return &s.GitToken }
	}
	return field
}

func (r secretField) resolve(lookup func(string) (string, bool)) (string, []wizard.Problem) {
	if r.optional && r.Ref == (state.SecretRef{}) {
		return "", nil
	}
	value, faults := r.readValue(lookup)
	if faults == nil {
		faults = r.rule(value)
	}
	return value, faults
}

// Keys are pasted from a browser, sometimes with more text.
func validateOneWord(secret string) []wizard.Problem {
	if strings.ContainsFunc(secret, unicode.IsSpace) {
		return wizard.NewProblem("the secret contains whitespace", "one word", "")
	}
	return nil
}

func (r secretField) readValue(lookup func(string) (string, bool)) (string, []wizard.Problem) {
	switch kinds := wizard.ListKindsOf(r.Ref); {
	case len(kinds) == 0:
		return "", wizard.NewProblem("is missing", r.Allowed, "")
	case len(kinds) > 1:
		return "", wizard.NewProblem(wizard.FormatConflict(kinds), r.Allowed, "")
	case r.Ref.File != "":
		return readSecret(r.Ref.File)
	case r.Ref.Exo != "" && r.exo != nil:
		return readExoSecret(r.Ref.Exo, r.exo, lookup)
	}
	if faults := wizard.ValidateReference(wizard.FormatReference(r.Ref)); faults != nil {
		return "", faults
	}
	value, set := lookup(r.Ref.Env)
	if value = strings.TrimSpace(value); value == "" {
		return "", wizard.NewProblem(fmt.Sprintf("the environment variable %s is %s", r.Ref.Env, formatUnset(set)), "export "+r.Ref.Env+"=…", "")
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
func readSecret(path string) (string, []wizard.Problem) {
	info, faults := statRegular(path)
	switch {
	case faults != nil:
		return "", faults
	case info.Mode().Perm()&0o077 != 0:
		return "", wizard.NewProblem(fmt.Sprintf("%s is open to group or others (mode %04o)", path, info.Mode().Perm()),
			"access for its owner only: chmod 600 "+shellescape.Quote(path), "")
	}
	content, faults := readRegular(path, maxSecret, fileread.Text)
	value := strings.TrimSpace(string(content))
	if faults == nil && value == "" {
		return "", wizard.NewProblem(path+" is empty", "a file that contains the secret", "")
	}
	return value, faults
}
