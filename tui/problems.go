package tui

import (
	"errors"
	"slices"
	"strings"

	"exoshift/tui/pane"
	"exoshift/wizard"
)

// checkAnswers validates the answers, and in the background the files and variables that they refer to.
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

// listErrors returns the errors of a field, which block going forward. A missing answer is only listed once the field was left.
func (t *session) listErrors(key string) []wizard.Problem {
	if refused := t.rejections[key]; len(refused) > 0 {
		return refused
	}
	if t.fieldIndex.values[key] == "" && !t.touched[key] {
		return nil
	}
	return t.validate().errors[key]
}

func (t *session) listWarnings(key string) []wizard.Problem { return t.validate().warnings[key] }

// filterProblems returns the problems of a field and of its parts, each once.
func (t *session) filterProblems(key string, faults []wizard.Problem) []wizard.Problem {
	var found []wizard.Problem
	for _, f := range faults {
		if hasPathPrefix(f.Field, key) && !slices.ContainsFunc(found, func(g wizard.Problem) bool { return g.Message == f.Message }) {
			found = append(found, f)
		}
	}
	return found
}

// listAllErrors also returns errors that are not shown yet.
func (t *session) listAllErrors() []wizard.Problem { return t.validate().allErrors }

// The order is that of the fields.
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

// hasNoField reports whether a problem belongs to no field, so that it is shown with its lookup.
func (t *session) hasNoField(f wizard.Problem) bool {
	_, found := t.fieldIndex.find(f.Field)
	return !found
}

func (t *session) markTouched(screen wizard.Screen) {
	for _, fault := range t.listScreenErrors(screen) {
		t.touched[fault.Field] = true
		if field, found := t.fieldIndex.find(fault.Field); found {
			t.touched[field.Key] = true
		}
	}
}

// computeStatus considers the errors that are shown, then the warnings.
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

// good reports whether the answer is valid, and present if it is required.
func (t *session) getAnswer(key string) (text string, good bool) {
	return t.fieldIndex.values[key], len(t.rejections[key]) == 0 && len(t.filterProblems(key, t.answerErrors)) == 0
}

// listChoices prefers the choices of a lookup to those of the field.
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

func hasPathPrefix(path, key string) bool {
	rest, below := strings.CutPrefix(path, key)
	return below && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

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
