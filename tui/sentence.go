package tui

import (
	"regexp"
	"strings"

	"exoshift/wizard"
)

// missing is the problem of a field that needs an answer and has none.
const missing = "is missing"

// sentence is a fault as a sentence for those who see its field already.
func (t *talk) sentence(f wizard.Fault) string {
	return t.said(f, "; allowed: ", ". Did you mean ", "?")
}

// advice is a warning as such a sentence. What it speaks of is allowed, only not the best.
func (t *talk) advice(f wizard.Fault) string { return t.said(f, "; better: ", ", such as ", ":") }

func (t *talk) said(f wizard.Fault, allowed, suggested, ending string) string {
	said := f.Problem
	switch {
	case f.Problem == missing && strings.HasPrefix(f.Allowed, "e.g. "):
		said = "an answer is needed, " + f.Allowed
	case f.Problem == missing:
		said = "an answer is needed: space shows what there is"
	case strings.HasPrefix(f.Allowed, "export "): // which nobody can do from in here
		said += ": press space to type it here, or to say where else it is"
	case f.Allowed != "":
		said += allowed + f.Allowed
	}
	if f.Suggestion != "" {
		said += suggested + f.Suggestion + ending + " ctrl+y takes it"
	}
	if f.Hint != "" {
		said += "; what to do: " + f.Hint
	}
	return cleanText(t.titled(said), t.ascii)
}

// keyLike is what may be the key of a field.
var keyLike = regexp.MustCompile(`[A-Za-z0-9]+(\.[A-Za-z0-9]+|\[[0-9]+\])+`)

// titled calls fields by the names that they have on the screens. Keys are for files.
func (t *talk) titled(text string) string {
	return keyLike.ReplaceAllStringFunc(text, func(key string) string {
		whole, _, _ := strings.Cut(key, "[")
		for _, name := range []string{key, whole} {
			if field, is := t.asking.fields[name]; is {
				return field.Title
			}
		}
		return key
	})
}
