package wizard

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"exoshift/state"
)

// Secrets are what the references of a Spec lead to; the pull secret is empty for OKD if there is none. They do not print: whatever the format, a placeholder appears.
type Secrets struct{ APIKey, APISecret, PullSecret string }

// masked is what Secrets print as.
const masked = "(secrets)"

func (Secrets) String() string { return masked }

// GoString masks the format %#v.
func (Secrets) GoString() string { return masked }

// Format masks all formats of package fmt, also those that would look at the fields.
func (Secrets) Format(out fmt.State, _ rune) { fmt.Fprint(out, masked) }

// MarshalJSON masks the JSON form.
func (Secrets) MarshalJSON() ([]byte, error) { return []byte(`"` + masked + `"`), nil }

// Words for faults of references.
const (
	onePlace   = "{env: NAME} or {file: PATH}"
	bothPlaces = "names both env and file"
)

// maxSecret is the size of a secret in bytes that is read; pull secrets have a few thousand.
const maxSecret = 1 << 20

// ResolveSecrets looks up what the references of spec lead to and returns every fault, by field. White space around a
// secret is dropped. lookup is os.LookupEnv, except in tests.
func ResolveSecrets(spec state.Spec, lookup func(env string) (string, bool)) (Secrets, []Fault) {
	var secrets Secrets
	var faults []Fault
	for _, r := range references(spec) {
		value, found := r.resolve(lookup)
		if found == nil {
			*r.into(&secrets) = value
		}
		faults = append(faults, of(r.field, found)...)
	}
	return secrets, faults
}

// secretOf is a reference of a Spec, with the rule for what it leads to.
type secretOf struct {
	field  string
	ref    state.SecretRef
	spared bool // there may be no reference
	rule   rule
	into   func(*Secrets) *string
}

func references(spec state.Spec) []secretOf {
	pull := pullSecretOf(spec.OpenShift.Distribution)
	return []secretOf{
		{"exoscale.apiKey", spec.Exoscale.APIKey, false, oneWord, func(s *Secrets) *string { return &s.APIKey }},
		{"exoscale.apiSecret", spec.Exoscale.APISecret, false, oneWord, func(s *Secrets) *string { return &s.APISecret }},
		{pullSecretKey, spec.OpenShift.PullSecret, needsNoPullSecret(spec), pull, func(s *Secrets) *string { return &s.PullSecret }},
	}
}

func (r secretOf) resolve(lookup func(string) (string, bool)) (string, []Fault) {
	if r.spared && r.ref == (state.SecretRef{}) {
		return "", nil
	}
	value, faults := lookUp(r.ref, lookup)
	if faults == nil {
		faults = r.rule(value)
	}
	return value, faults
}

// oneWord wants a secret without white space inside: keys are pasted from a browser, sometimes with more.
func oneWord(secret string) []Fault {
	if strings.ContainsFunc(secret, unicode.IsSpace) {
		return wrong("the secret holds white space", "one word", "")
	}
	return nil
}

func lookUp(ref state.SecretRef, lookup func(string) (string, bool)) (string, []Fault) {
	switch {
	case ref == state.SecretRef{}:
		return "", wrong("is missing", onePlace, "")
	case ref.Env != "" && ref.File != "":
		return "", wrong(bothPlaces, onePlace, "")
	case ref.File != "":
		return readSecret(ref.File)
	}
	if faults := referenceRule(referenceText(ref)); faults != nil {
		return "", faults
	}
	value, set := lookup(ref.Env)
	if value = strings.TrimSpace(value); value == "" {
		return "", wrong(fmt.Sprintf("the environment variable %s is %s", ref.Env, unsetOrEmpty(set)), "export "+ref.Env+"=…", "")
	}
	return value, nil
}

func unsetOrEmpty(set bool) string {
	if set {
		return "empty"
	}
	return "not set"
}

// readSecret reads a regular file that only its owner has access to.
func readSecret(path string) (string, []Fault) {
	info, faults := regular(path)
	switch {
	case faults != nil:
		return "", faults
	case info.Mode().Perm()&0o077 != 0:
		return "", wrong(fmt.Sprintf("%s is open to group or others (mode %04o)", path, info.Mode().Perm()),
			"access for its owner only: chmod 600 "+shellQuote(path), "")
	}
	content, faults := readRegular(path, maxSecret)
	value := strings.TrimSpace(string(content))
	if faults == nil && value == "" {
		return "", wrong(path+" is empty", "a file that holds the secret", "")
	}
	return value, faults
}

// shellQuote makes a path safe to paste into a shell.
func shellQuote(path string) string {
	if regexp.MustCompile(`^[A-Za-z0-9_./@+-]+$`).MatchString(path) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// referenceRule wants the name of an environment variable, or a path. It does not repeat names that are none: the
// secret itself may stand there.
func referenceRule(value string) []Fault {
	kind, name, _ := strings.Cut(value, ":")
	switch {
	case kind == "exo":
		return wrong("the program exo keeps API keys only", onePlace, "")
	case kind == "file":
		return printable(name)
	case regexp.MustCompile(`^EXO[0-9a-f]{20,}$`).MatchString(name):
		return wrong("this looks like an API key itself", "the name of an environment variable", "")
	case !regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(name):
		return wrong("the value of env is no name of an environment variable", "letters, digits and '_'", "")
	}
	return nil
}

// accountRule allows the accounts of the program exo in addition.
func accountRule(value string) []Fault {
	if account, isExo := strings.CutPrefix(value, "exo:"); isExo {
		return printable(account)
	}
	return referenceRule(value)
}

// singleReferences refuses references to two places at once.
func singleReferences(spec state.Spec) []Fault {
	var faults []Fault
	for _, r := range references(spec) {
		if r.ref.Env != "" && r.ref.File != "" {
			faults = append(faults, of(r.field, wrong(bothPlaces, onePlace, ""))...)
		}
	}
	return faults
}
