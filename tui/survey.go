package tui

import (
	"slices"
	"strings"

	"exoshift/wizard"
)

// questionnaire is what is asked beside the answers as they are. It is made anew whenever they change.
type questionnaire struct {
	screens map[wizard.Screen][]wizard.Field
	fields  map[string]wizard.Field
	values  map[string]string // of the fields, as text
}

func newQuestionnaire(a *wizard.Answers) questionnaire {
	q := questionnaire{screens: map[wizard.Screen][]wizard.Field{}, fields: map[string]wizard.Field{}, values: map[string]string{}}
	for _, field := range wizard.Fields() {
		q.fields[field.Key] = field
	}
	for _, screen := range wizard.Screens() {
		q.screens[screen] = screen.Fields(a.Spec)
		for _, field := range q.screens[screen] {
			q.fields[field.Key] = field
		}
	}
	for key, field := range q.fields {
		q.values[key] = field.Get(a.Spec)
	}
	return q
}

// of returns the field that a path is about, if there is one.
func (q questionnaire) of(path string) (field wizard.Field, found bool) {
	for key := path; key != ""; key = key[:max(strings.LastIndexAny(key, ".["), 0)] {
		if field, found = q.fields[key]; found {
			return field, true
		}
	}
	return field, false
}

// survey is everything that is wrong, or worth knowing, by the fields that it is about. It holds until something is
// heard.
type survey struct {
	all        []wizard.Fault // red
	red, amber map[string][]wizard.Fault
}

// survey looks at everything that was said, unless it did since the last message.
func (t *talk) survey() *survey {
	if t.surveyed == nil {
		red, amber := t.collectRed(), slices.Clone(t.local.warnings)
		for _, q := range t.inquiries {
			amber = append(amber, q.reply.Warnings...)
		}
		t.surveyed = &survey{red, t.sort(red), t.sort(amber)}
	}
	return t.surveyed
}

// sort puts faults below the fields that they are about, each once: a part of a field, and the field that it is a part
// of, too.
func (t *talk) sort(faults []wizard.Fault) map[string][]wizard.Fault {
	sorted := map[string][]wizard.Fault{}
	for _, fault := range faults {
		for key := fault.Field; key != ""; key = key[:max(strings.LastIndexAny(key, ".["), 0)] {
			same := func(f wizard.Fault) bool { return f.Problem == fault.Problem && f.Field == fault.Field }
			if _, is := t.asking.fields[key]; is && !slices.ContainsFunc(sorted[key], same) {
				sorted[key] = append(sorted[key], fault)
			}
		}
	}
	return sorted
}

func (t *talk) collectRed() []wizard.Fault {
	faults := slices.Concat(t.checked, t.local.faults, t.shortages())
	for _, q := range t.inquiries {
		faults = append(faults, q.reply.Faults...)
	}
	for _, refused := range t.refused {
		faults = append(faults, refused...)
	}
	return faults
}

// stale has everything looked at anew when it is needed next.
func (t *talk) stale() { t.surveyed = nil }
