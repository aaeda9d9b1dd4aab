package page

import (
	"exoshift/tui/cells"
	"exoshift/wizard"
	"exoshift/wizard/session"
)

// FormatError returns the wording of a problem. It omits the name of the field, which is visible beside it.
func (t *Context) FormatError(f wizard.Problem) string {
	return t.formatProblem(f, "; allowed: ", ". Did you mean ", "?")
}

// FormatWarning is FormatError for values that are allowed, but not recommended.
func (t *Context) FormatWarning(f wizard.Problem) string {
	return t.formatProblem(f, "; better: ", ", such as ", ":")
}

func (t *Context) formatProblem(p wizard.Problem, allowed, suggested, ending string) string {
	w := session.DescribeProblem(t.Session, p)
	words := w.Message
	switch {
	case w.Missing && w.Example != "":
		words = "required, e.g. " + w.Example
	case w.Missing:
		words = "required: space lists the options"
	case w.Unset:
		words += ": press space to enter it or choose another source"
	case w.Example != "":
		words += allowed + "e.g. " + w.Example
	case w.Allowed != "":
		words += allowed + w.Allowed
	}
	if w.Suggestion != "" {
		words += suggested + w.Suggestion + ending + " ctrl+y accepts"
	}
	if w.Hint != "" {
		words += "; fix: " + w.Hint
	}
	return cells.SanitizeText(words, t.ASCII)
}
