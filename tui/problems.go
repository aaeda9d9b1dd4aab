package tui

import (
	"errors"
	"slices"
	"strings"

	"exoshift/tui/pane"
	"exoshift/wizard"
)

// checkAnswers looks at the answers themselves, and beside the screen at what they lead to.
func (t *session) checkAnswers() {
	t.resetValidation()
	t.fieldIndex = newFieldIndex(t.answers)
	t.answerErrors = wizard.CheckAsked(t.spec())
	for _, fault := range t.answerErrors {
		if field, found := t.fieldIndex.find(fault.Field); found {
			t.asked[field.Key] = true
		}
	}
	t.checkLocal()
}

// listErrors returns what is wrong with a field and stops those who want to go on. What is merely missing is told once the
// field was left.
func (t *session) listErrors(key string) []wizard.Problem {
	if refused := t.rejections[key]; len(refused) > 0 {
		return refused
	}
	if t.fieldIndex.values[key] == "" && !t.touched[key] {
		return nil
	}
	return t.validate().errors[key]
}

// listWarnings returns what is worth knowing about a field, and stops nobody.
func (t *session) listWarnings(key string) []wizard.Problem { return t.validate().warnings[key] }

// filterProblems returns the faults of a field and of its parts, each once.
func (t *session) filterProblems(key string, faults []wizard.Problem) []wizard.Problem {
	var found []wizard.Problem
	for _, f := range faults {
		if hasPathPrefix(f.Field, key) && !slices.ContainsFunc(found, func(g wizard.Problem) bool { return g.Message == f.Message }) {
			found = append(found, f)
		}
	}
	return found
}

// listAllErrors returns everything that is red, whether it was told or not.
func (t *session) listAllErrors() []wizard.Problem { return t.validate().allErrors }

// listScreenErrors returns what is red on a screen, in the order of its fields.
func (t *session) listScreenErrors(screen wizard.Screen) []wizard.Problem {
	var blocking []wizard.Problem
	for _, field := range t.fieldIndex.screens[screen] {
		blocking = append(blocking, t.validate().errors[field.Key]...)
	}
	for _, q := range t.lookups {
		for _, fault := range q.result.Problems {
			if q.Screen == screen && t.hasNoField(fault) {
				blocking = append(blocking, fault)
			}
		}
	}
	return append(blocking, t.listUnassignedShortages(screen)...)
}

// hasNoField tells whether a fault is about none of the fields, so that it is told where its inquiry is.
func (t *session) hasNoField(f wizard.Problem) bool {
	_, found := t.fieldIndex.find(f.Field)
	return !found
}

// markTouched has everything told that is red on a screen.
func (t *session) markTouched(screen wizard.Screen) {
	for _, fault := range t.listScreenErrors(screen) {
		t.touched[fault.Field] = true
		if field, found := t.fieldIndex.find(fault.Field); found {
			t.touched[field.Key] = true
		}
	}
}

// computeStatus is how a screen with questions is: what is red, then what is amber, as far as it was told.
func (t *session) computeStatus(screen wizard.Screen) pane.Status {
	status := pane.OK
	for _, field := range t.fieldIndex.screens[screen] {
		if len(t.listErrors(field.Key)) > 0 {
			return pane.Failed
		}
		if len(t.listWarnings(field.Key)) > 0 {
			status = pane.Warn
		}
	}
	for _, q := range t.lookups {
		switch {
		case q.Screen != screen || !q.known:
		case slices.ContainsFunc(q.result.Problems, t.hasNoField):
			return pane.Failed
		case q.err != nil || len(q.result.Warnings) > 0:
			status = pane.Warn
		}
	}
	return status
}

// getAnswer returns the answer of a field as text, and whether it is there as far as it must be, and good.
func (t *session) getAnswer(key string) (text string, good bool) {
	return t.fieldIndex.values[key], len(t.rejections[key]) == 0 && len(t.filterProblems(key, t.answerErrors)) == 0
}

// listChoices returns what the outside offers for a field, or else what the field offers or allows.
func (t *session) listChoices(field wizard.Field) []wizard.Choice {
	for _, q := range t.lookups {
		if choices := q.result.Choices[field.Key]; len(choices) > 0 {
			return choices
		}
	}
	choices := slices.Clone(field.Offered)
	for _, value := range field.Choices {
		choices = append(choices, wizard.Choice{Value: value})
	}
	return choices
}

// splitProblems takes an error of an answer apart.
func splitProblems(key string, err error) []wizard.Problem {
	var list interface{ Unwrap() []error }
	if errors.As(err, &list) {
		var faults []wizard.Problem
		for _, one := range list.Unwrap() {
			faults = append(faults, splitProblems(key, one)...)
		}
		return faults
	}
	var fault wizard.Problem
	if !errors.As(err, &fault) {
		fault = wizard.Problem{Field: key, Message: err.Error()}
	}
	return []wizard.Problem{fault}
}

// hasPathPrefix tells whether a path is that of a field or of a part of it.
func hasPathPrefix(path, key string) bool {
	rest, below := strings.CutPrefix(path, key)
	return below && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// sanitizeLookup makes what the outside said harmless for the terminal.
func sanitizeLookup(r wizard.LookupResult, ascii bool) wizard.LookupResult {
	r.Summary = sanitizeText(r.Summary, ascii)
	r.Problems, r.Warnings = sanitizeProblems(r.Problems, ascii), sanitizeProblems(r.Warnings, ascii)
	choices := map[string][]wizard.Choice{}
	for key, offered := range r.Choices {
		for _, choice := range offered {
			choices[key] = append(choices[key], wizard.Choice{Value: sanitizeText(choice.Value, ascii), Note: sanitizeText(choice.Note, ascii)})
		}
	}
	r.Choices, r.Quotas = choices, slices.Clone(r.Quotas)
	for i := range r.Quotas {
		r.Quotas[i].Resource = sanitizeText(r.Quotas[i].Resource, ascii)
	}
	return r
}

func sanitizeProblems(faults []wizard.Problem, ascii bool) []wizard.Problem {
	cleaned := slices.Clone(faults)
	for i, f := range faults {
		f.Message, f.Allowed = sanitizeText(f.Message, ascii), sanitizeText(f.Allowed, ascii)
		f.Suggestion, f.Field, f.Hint = sanitizeText(f.Suggestion, ascii), sanitizeText(f.Field, ascii), sanitizeText(f.Hint, ascii)
		cleaned[i] = f
	}
	return cleaned
}
