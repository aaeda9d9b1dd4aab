package tui

import (
	"slices"
	"strings"

	"exoshift/wizard"
)

// fieldIndex holds the asked fields by their keys. It is rebuilt whenever the answers change.
type fieldIndex struct {
	screens map[wizard.Screen][]wizard.Field
	fields  map[string]wizard.Field
	values  map[string]string // of the fields, as text
}

func newFieldIndex(a *wizard.Answers) fieldIndex {
	q := fieldIndex{screens: map[wizard.Screen][]wizard.Field{}, fields: map[string]wizard.Field{}, values: map[string]string{}}
	for _, field := range wizard.Fields() {
		q.fields[field.Key] = field
	}
	for _, screen := range wizard.Screens() {
		q.screens[screen] = screen.ListFields(a.Spec)
		for _, field := range q.screens[screen] {
			q.fields[field.Key] = field
		}
	}
	for key, field := range q.fields {
		q.values[key] = field.Get(a.Spec)
	}
	return q
}

func (q fieldIndex) find(path string) (field wizard.Field, found bool) {
	for key := path; key != ""; key = key[:max(strings.LastIndexAny(key, ".["), 0)] {
		if field, found = q.fields[key]; found {
			return field, true
		}
	}
	return field, false
}

// validation holds all errors and warnings, by field. It is valid until the next message.
type validation struct {
	allErrors        []wizard.Problem // unfiltered
	errors, warnings map[string][]wizard.Problem
}

// validate returns the cached validation if there was no message since.
func (t *session) validate() *validation {
	if t.validation == nil {
		red, amber := t.collectErrors(), slices.Clone(t.local.warnings)
		for _, q := range t.lookups {
			amber = append(amber, q.result.Warnings...)
		}
		t.validation = &validation{red, t.groupByField(red), t.groupByField(amber)}
	}
	return t.validation
}

// groupByField lists each problem once per field, also when it is about a part of a field, or about the field of which this one
// is a part.
func (t *session) groupByField(faults []wizard.Problem) map[string][]wizard.Problem {
	sorted := map[string][]wizard.Problem{}
	for _, fault := range faults {
		for key := fault.Field; key != ""; key = key[:max(strings.LastIndexAny(key, ".["), 0)] {
			same := func(f wizard.Problem) bool { return f.Message == fault.Message && f.Field == fault.Field }
			if _, is := t.fieldIndex.fields[key]; is && !slices.ContainsFunc(sorted[key], same) {
				sorted[key] = append(sorted[key], fault)
			}
		}
	}
	return sorted
}

func (t *session) collectErrors() []wizard.Problem {
	faults := slices.Concat(t.answerErrors, t.local.errors, t.listShortages())
	for _, q := range t.lookups {
		faults = append(faults, q.result.Problems...)
	}
	for _, refused := range t.rejections {
		faults = append(faults, refused...)
	}
	return faults
}

// resetValidation has validate compute everything anew.
func (t *session) resetValidation() { t.validation = nil }
