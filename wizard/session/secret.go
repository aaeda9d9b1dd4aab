package session

import (
	"strings"

	"exoshift/wizard"
	"exoshift/wizard/local"
	"exoshift/wizard/recognize"
)

// The kinds of a reference to a secret.
const (
	SourceEnv  = "env"  // an environment variable
	SourceFile = "file" // a file that only its owner can read
	SourceExo  = "exo"  // an account of the program exo
)

// PullSecretKey is the key of the pull secret, which has several lines.
const PullSecretKey = "openshift.pullSecret"

// The two halves of an API key: an account has both.
const (
	apiKey    = "exoscale.apiKey"
	apiSecret = "exoscale.apiSecret"
)

// IsReference reports whether a text is a reference to a secret, and not a secret.
func IsReference(text string) bool {
	kind, name, cut := strings.Cut(text, ":")
	return cut && name != "" && (kind == SourceEnv || kind == SourceFile || kind == SourceExo) && !strings.ContainsAny(text, "\n{\"")
}

// ReferenceName returns the name of the variable, the file or the account that a reference refers to.
func ReferenceName(reference string) string {
	_, name, _ := strings.Cut(reference, ":")
	return name
}

// isSecretText reports whether a text that was given as an answer holds a secret itself.
func isSecretText(field wizard.Field, text string) bool {
	return recognize.Secret(text) != "" || field.Secret && recognize.SecretAsName(ReferenceName(text)) != ""
}

// AllowsAccount reports whether a secret may be that of an account of the program exo.
func AllowsAccount(field wizard.Field) bool { return field.Key == apiKey || field.Key == apiSecret }

// SetReference stores the reference to a secret. An account sets both halves of an API key.
func SetReference(s *Session, key, reference string) error {
	if err := s.Set(key, reference); err != nil {
		return err
	}
	other := map[string]string{apiKey: apiSecret, apiSecret: apiKey}[key]
	if other == "" || !strings.HasPrefix(reference, SourceExo+":") {
		return nil
	}
	if value, _ := s.Answer(other); value == "" || strings.HasPrefix(value, SourceExo+":") {
		return s.Set(other, reference)
	}
	return nil
}

// CheckReference returns why a reference does not lead to a valid secret. What is wrong with the reference itself is left to Set.
func CheckReference(s *Session, key, reference string) []wizard.Problem {
	tried := s.answers.Copy()
	if tried.Set(key, reference, wizard.Typed) != nil {
		return nil
	}
	_, problems := local.ResolveSecrets(tried.Spec, s.Interview.LookupEnv)
	return FilterProblems(key, problems)
}

// CanSignIn reports whether the operator can sign in at Project Syn.
func CanSignIn(s *Session) bool {
	url, valid := s.Answer("syn.lieutenantURL")
	return s.Interview.SignIn != nil && valid && url != ""
}
