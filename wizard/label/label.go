// Package label has the forms of names: labels of DNS, domains, and clusters' labels, which are as those of Kubernetes.
package label

import (
	"fmt"
	"strings"
	"unicode"
)

// Most is how many labels a cluster may have: far more than anybody selects by. They are read for each cluster of a fleet.
const Most = 32

// maxPart is the limit of Kubernetes for a label's name and for its value, in characters.
const maxPart = 63

const allowed = "letters, digits, hyphens, underscores and dots; starts and ends with a letter or digit; at most 63 characters"

// Check returns what is wrong with a cluster's label of the form key=value, and what is allowed; "" if nothing is. Unlike in
// Kubernetes a value is not empty.
func Check(item string) (problem, allowedForm string) {
	key, value, _ := strings.Cut(item, "=")
	prefix, name, prefixed := strings.Cut(key, "/")
	if !prefixed {
		name = key
	}
	switch {
	case prefixed && !IsDomain(prefix):
		return "before the slash of a label is no domain", "stage, or example.net/stage"
	case !isPart(name):
		return "the name of a label is not valid" + formatLength(name), allowed
	case !isPart(value):
		return "the value of a label is not valid" + formatLength(value), allowed
	}
	return "", ""
}

func isPart(text string) bool {
	other := strings.ContainsFunc(text, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r)
	})
	return text != "" && strings.Trim(text, "-_.") == text && !other && len(text) <= maxPart
}

func formatLength(text string) string {
	if len(text) <= maxPart {
		return ""
	}
	return fmt.Sprintf(" (%d characters)", len(text))
}

// MaxDomain is the limit of DNS, in characters.
const MaxDomain = 253

// IsDomain reports whether a value is a domain in lower case.
func IsDomain(value string) bool {
	if len(value) > MaxDomain {
		return false
	}
	for part := range strings.SplitSeq(value, ".") {
		if !IsDNS(part) || len(part) > maxPart {
			return false
		}
	}
	return true
}

// IsDNS reports whether a value of any length consists of what a label of DNS in lower case does.
func IsDNS(value string) bool {
	other := strings.ContainsFunc(value, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' })
	return value != "" && !other && value[0] != '-' && value[len(value)-1] != '-'
}
