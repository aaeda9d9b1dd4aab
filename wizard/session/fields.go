package session

import (
	"slices"

	"exoshift/wizard"
)

// fieldIndex holds the asked fields by their keys. It is rebuilt whenever the answers change.
type fieldIndex struct {
	screens map[wizard.Screen][]wizard.Field
	fields  map[string]wizard.Field
	values  map[string]string // of the fields, as text
}

func newFieldIndex(a *wizard.Answers) fieldIndex {
	x := fieldIndex{screens: map[wizard.Screen][]wizard.Field{}, fields: map[string]wizard.Field{}, values: map[string]string{}}
	for _, field := range wizard.Fields() {
		x.fields[field.Key] = field
	}
	for _, screen := range wizard.Screens() {
		x.screens[screen] = screen.ListFields(a.Spec)
		for _, field := range x.screens[screen] {
			x.fields[field.Key] = field
		}
	}
	for key, field := range x.fields {
		x.values[key] = field.Get(a.Spec)
	}
	return x
}

// find returns the field of a path, or of the nearest path that contains it.
func (x fieldIndex) find(path string) (field wizard.Field, found bool) {
	for key := path; key != ""; key = parent(key) {
		if field, found = x.fields[key]; found {
			return field, true
		}
	}
	return field, false
}

// group lists each problem once per field, also when it is about a part of the field, or about the field of which this one is a
// part.
func (x fieldIndex) group(problems []wizard.Problem) map[string][]wizard.Problem {
	grouped := map[string][]wizard.Problem{}
	for _, problem := range problems {
		for key := problem.Field; key != ""; key = parent(key) {
			if _, is := x.fields[key]; is {
				grouped[key] = addOnce(grouped[key], problem)
			}
		}
	}
	return grouped
}

func addOnce(problems []wizard.Problem, more ...wizard.Problem) []wizard.Problem {
	for _, problem := range more {
		same := func(p wizard.Problem) bool { return p.Message == problem.Message && p.Field == problem.Field }
		if !slices.ContainsFunc(problems, same) {
			problems = append(problems, problem)
		}
	}
	return problems
}

// unassigned returns the problems that belong to no field.
func (x fieldIndex) unassigned(problems []wizard.Problem) []wizard.Problem {
	return slices.DeleteFunc(slices.Clone(problems), func(p wizard.Problem) bool {
		_, found := x.find(p.Field)
		return found
	})
}
