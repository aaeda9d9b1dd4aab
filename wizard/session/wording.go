package session

import (
	"regexp"
	"strings"

	"exoshift/wizard"
)

// missing is the message of a required answer that is not there.
const missing = "is missing"

// Wording is a problem in the words of a person who answers questions: titles of fields in place of their keys. A renderer joins
// the parts.
type Wording struct {
	Message    string
	Missing    bool   // the answer is required, and not there
	Unset      bool   // the variable of a secret is not set; it cannot be set while the program runs
	Allowed    string // what is allowed
	Example    string // of what is allowed, in place of Allowed
	Suggestion string // what was probably meant
	Hint       string // the next action
}

// DescribeProblem returns the wording of a problem.
func DescribeProblem(s *Session, p wizard.Problem) Wording {
	w := Wording{
		Message: ReplaceKeys(s, p.Message), Missing: p.Message == missing, Unset: strings.HasPrefix(p.Allowed, "export "),
		Suggestion: ReplaceKeys(s, p.Suggestion), Hint: ReplaceKeys(s, p.Hint),
	}
	allowed := ReplaceKeys(s, p.Allowed)
	if example, is := strings.CutPrefix(allowed, "e.g. "); is {
		w.Example = example
	} else {
		w.Allowed = allowed
	}
	return w
}

// keyPattern matches what may be the key of a field.
var keyPattern = regexp.MustCompile(`[A-Za-z0-9]+(\.[A-Za-z0-9]+|\[[0-9]+\])+`)

// ReplaceKeys replaces keys of fields by their titles. Keys are for files.
func ReplaceKeys(s *Session, text string) string {
	return keyPattern.ReplaceAllStringFunc(text, func(key string) string {
		whole, _, _ := strings.Cut(key, "[")
		for _, name := range []string{key, whole} {
			if field, found := s.FindField(name); found && field.Key == name {
				return field.Title
			}
		}
		return key
	})
}
