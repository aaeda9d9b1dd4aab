package tui

import (
	"regexp"
	"strings"

	"exoshift/wizard"
)

// missing is the problem of a field that needs an answer and has none.
const missing = "is missing"

// formatError omits the name of the field, which is visible beside it.
func (t *pageContext) formatError(f wizard.Problem) string {
	return t.formatProblem(f, "; allowed: ", ". Did you mean ", "?")
}

// formatWarning is formatError for values that are allowed, but not recommended.
func (t *pageContext) formatWarning(f wizard.Problem) string {
	return t.formatProblem(f, "; better: ", ", such as ", ":")
}

func (t *pageContext) formatProblem(f wizard.Problem, allowed, suggested, ending string) string {
	said := f.Message
	switch {
	case f.Message == missing && strings.HasPrefix(f.Allowed, "e.g. "):
		said = "an answer is needed, " + f.Allowed
	case f.Message == missing:
		said = "an answer is needed: space shows what there is"
	case strings.HasPrefix(f.Allowed, "export "): // which is impossible in the wizard
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
	return sanitizeText(t.replaceKeys(said), t.ascii)
}

// keyPattern matches what may be the key of a field.
var keyPattern = regexp.MustCompile(`[A-Za-z0-9]+(\.[A-Za-z0-9]+|\[[0-9]+\])+`)

// replaceKeys replaces keys of fields by their titles on the screen. Keys are for files.
func (t *pageContext) replaceKeys(text string) string {
	return keyPattern.ReplaceAllStringFunc(text, func(key string) string {
		whole, _, _ := strings.Cut(key, "[")
		for _, name := range []string{key, whole} {
			if field, is := t.FindField(name); is && field.Key == name {
				return field.Title
			}
		}
		return key
	})
}
