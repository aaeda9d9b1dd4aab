// Package recognize finds out what a text is that was typed or pasted: a secret where its name is asked for, or something from which
// the answer can be taken.
package recognize

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// secretForms are the forms of secrets that are recognized wherever they are in a text.
var secretForms = []struct { //nolint:gochecknoglobals // a table that nothing changes
	what    string
	pattern *regexp.Regexp
}{
	{"a private key", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY|\bLS0tLS1CRUdJTi(?:BSU0Eg|BQUklW|BFQyB|BPUEVO|BFTkNS|BQR1Ag)`)}, // or in base64, as kubeconfigs have it
	{"an age key", regexp.MustCompile(`(?i)\bAGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{8,}`)},
	{"an API key", regexp.MustCompile(`\bEXO[0-9a-f]{20,}\b`)},
	{"a Vault token", regexp.MustCompile(`\bhv[sbr]\.[A-Za-z0-9_-]{8,}`)},
	{"a token of GitLab", regexp.MustCompile(`\bgl(?:pat|dt|rt|ptt|cbt|ft|soat)-[A-Za-z0-9_-]{8,}`)},
	{"a token of GitHub", regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})`)},
	{"a token", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`)},
	{"a token of OpenShift", regexp.MustCompile(`\bsha256~[A-Za-z0-9_-]{20,}`)},
	{"a pull secret", regexp.MustCompile(`"auths?"+\s*:|\beyJhdXRocyI6`)}, // or in base64, as secrets of Kubernetes have it
	{"the URL of a webhook", regexp.MustCompile(`(?i)\bhttps://(?:hooks\.slack\.com/(?:services|workflows|triggers)/|[a-z0-9.-]*discord(?:app)?\.com/api/webhooks/|[a-z0-9.-]+\.webhook\.office\.com/|[^\s/]+/hooks/[a-z0-9]{20,})`)},
	{"a URL with a password", regexp.MustCompile(`\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@]*:[^\s/@]+@`)},
}

// Secret describes the first secret of a known form in a text, e.g. "an API key", or the one that the whole text is; or returns "".
func Secret(text string) string {
	for _, form := range secretForms {
		if form.pattern.MatchString(text) {
			return form.what
		}
	}
	if isRandomWord(strings.TrimSpace(text)) {
		return "a secret"
	}
	return ""
}

// isRandomWord recognizes a long word such as an API secret of Exoscale, which has 43 characters.
func isRandomWord(text string) bool {
	return longWord.MatchString(text) && strings.ContainsFunc(text, unicode.IsLower) && strings.ContainsFunc(text, unicode.IsUpper) && strings.ContainsFunc(text, unicode.IsDigit)
}

// longWord also is the form of tokens of Vault before 1.10.
var longWord = regexp.MustCompile(`^(?:[A-Za-z0-9_-]{40,}|[sbr]\.[A-Za-z0-9]{24})$`)

// Longest names in bytes of POSIX systems.
const (
	maxNameLength = 255 // of a variable, an account, or a part of a path
	maxPathLength = 4096
)

// SecretAsName describes the secret that was probably given where the name of its variable, its file or its account is asked for, or
// returns "".
func SecretAsName(name string) string {
	switch form := Secret(name); {
	case form != "":
		return form
	case strings.HasPrefix(name, "-----BEGIN"):
		return "a key"
	case strings.HasPrefix(name, "{"), json.Valid([]byte(name)) && strings.ContainsAny(name, `{"`):
		return "a pull secret"
	case strings.ContainsAny(name, "\n\r{}\""):
		return "a secret"
	case len(name) > maxPathLength, slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return len(part) > maxNameLength }):
		return "a secret"
	}
	return ""
}
