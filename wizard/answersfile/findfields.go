package answersfile

import (
	"slices"
	"strings"

	"exoshift/internal/text/similar"
	"exoshift/wizard"
)

// FindFields returns the field of that key, or the fields of a section, or with "" all, in the order of Fields. Those of
// the file's head are not included.
func FindFields(name string) []wizard.Field {
	var found []wizard.Field
	for _, field := range listAnswerable() {
		if name == "" || field.Key == name || strings.HasPrefix(field.Key, name+".") {
			found = append(found, field)
		}
	}
	return found
}

// FindNearest returns the key or section that is nearest to name, or "".
func FindNearest(name string) string { return similar.FindNearest(name, AnswerableNames()) }

// AnswerableNames returns the keys of all fields that can be answered, and their sections.
func AnswerableNames() []string {
	var names []string
	for _, field := range listAnswerable() {
		for path := field.Key; path != ""; path = wizard.ParentOf(path) {
			if !slices.Contains(names, path) {
				names = append(names, path)
			}
		}
	}
	return names
}

func listAnswerable() []wizard.Field {
	var fields []wizard.Field
	for _, field := range wizard.Fields() {
		if strings.Contains(field.Key, ".") {
			fields = append(fields, field)
		}
	}
	return fields
}

// findAnswer returns the field of an answer on a command line or in a variable.
func findAnswer(key string) (wizard.Field, bool) {
	if field, known := wizard.Find(listAnswerable(), key); known {
		return field, true
	}
	return wizard.FindFact(key)
}

// listVariableFields returns the fields with an environment variable: of facts, only the known ones.
func listVariableFields() []wizard.Field { return append(listAnswerable(), wizard.FactFields()...) }

// FindFieldsOrFact returns what FindFields does, and the fact of that name.
func FindFieldsOrFact(name string) []wizard.Field {
	fields := FindFields(name)
	if fact, is := wizard.FindFact(name); is && len(fields) == 0 {
		return []wizard.Field{fact}
	}
	return fields
}
