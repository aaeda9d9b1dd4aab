package tui

import (
	"errors"
	"slices"
	"strings"

	"exoshift/tui/pane"
	"exoshift/wizard"
)

// check looks at the answers themselves, and beside the screen at what they lead to.
func (t *talk) check() {
	t.stale()
	t.asking = newQuestionnaire(t.answers)
	t.checked = wizard.CheckAsked(t.spec())
	for _, fault := range t.checked {
		if field, found := t.asking.of(fault.Field); found {
			t.asked[field.Key] = true
		}
	}
	t.look()
}

// red returns what is wrong with a field and stops those who want to go on. What is merely missing is told once the
// field was left.
func (t *talk) red(key string) []wizard.Fault {
	if refused := t.refused[key]; len(refused) > 0 {
		return refused
	}
	if t.asking.values[key] == "" && !t.touched[key] {
		return nil
	}
	return t.survey().red[key]
}

// amber returns what is worth knowing about a field, and stops nobody.
func (t *talk) amber(key string) []wizard.Fault { return t.survey().amber[key] }

// about returns the faults of a field and of its parts, each once.
func (t *talk) about(key string, faults []wizard.Fault) []wizard.Fault {
	var found []wizard.Fault
	for _, f := range faults {
		if within(f.Field, key) && !slices.ContainsFunc(found, func(g wizard.Fault) bool { return g.Problem == f.Problem }) {
			found = append(found, f)
		}
	}
	return found
}

// allRed returns everything that is red, whether it was told or not.
func (t *talk) allRed() []wizard.Fault { return t.survey().all }

// blocking returns what is red on a screen, in the order of its fields.
func (t *talk) blocking(screen wizard.Screen) []wizard.Fault {
	var blocking []wizard.Fault
	for _, field := range t.asking.screens[screen] {
		blocking = append(blocking, t.survey().red[field.Key]...)
	}
	for _, q := range t.inquiries {
		for _, fault := range q.reply.Faults {
			if q.Screen == screen && t.homeless(fault) {
				blocking = append(blocking, fault)
			}
		}
	}
	return append(blocking, t.stray(screen)...)
}

// homeless tells whether a fault is about none of the fields, so that it is told where its inquiry is.
func (t *talk) homeless(f wizard.Fault) bool {
	_, found := t.asking.of(f.Field)
	return !found
}

// tell has everything told that is red on a screen.
func (t *talk) tell(screen wizard.Screen) {
	for _, fault := range t.blocking(screen) {
		t.touched[fault.Field] = true
		if field, found := t.asking.of(fault.Field); found {
			t.touched[field.Key] = true
		}
	}
}

// status is how a screen with questions is: what is red, then what is amber, as far as it was told.
func (t *talk) status(screen wizard.Screen) pane.Status {
	status := pane.OK
	for _, field := range t.asking.screens[screen] {
		if len(t.red(field.Key)) > 0 {
			return pane.Failed
		}
		if len(t.amber(field.Key)) > 0 {
			status = pane.Warn
		}
	}
	for _, q := range t.inquiries {
		switch {
		case q.Screen != screen || !q.known:
		case slices.ContainsFunc(q.reply.Faults, t.homeless):
			return pane.Failed
		case q.err != nil || len(q.reply.Warnings) > 0:
			status = pane.Warn
		}
	}
	return status
}

// answer returns the answer of a field as text, and whether it is there as far as it must be, and good.
func (t *talk) answer(key string) (text string, good bool) {
	return t.asking.values[key], len(t.refused[key]) == 0 && len(t.about(key, t.checked)) == 0
}

// choices returns what the outside offers for a field, or else what the field offers or allows.
func (t *talk) choices(field wizard.Field) []wizard.Choice {
	for _, q := range t.inquiries {
		if choices := q.reply.Choices[field.Key]; len(choices) > 0 {
			return choices
		}
	}
	choices := slices.Clone(field.Offered)
	for _, value := range field.Choices {
		choices = append(choices, wizard.Choice{Value: value})
	}
	return choices
}

// faultsOf takes an error of an answer apart.
func faultsOf(key string, err error) []wizard.Fault {
	var list interface{ Unwrap() []error }
	if errors.As(err, &list) {
		var faults []wizard.Fault
		for _, one := range list.Unwrap() {
			faults = append(faults, faultsOf(key, one)...)
		}
		return faults
	}
	var fault wizard.Fault
	if !errors.As(err, &fault) {
		fault = wizard.Fault{Field: key, Problem: err.Error()}
	}
	return []wizard.Fault{fault}
}

// within tells whether a path is that of a field or of a part of it.
func within(path, key string) bool {
	rest, below := strings.CutPrefix(path, key)
	return below && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// cleanReply makes what the outside said harmless for the terminal.
func cleanReply(r wizard.Reply, ascii bool) wizard.Reply {
	r.Summary = cleanText(r.Summary, ascii)
	r.Faults, r.Warnings = cleanFaults(r.Faults, ascii), cleanFaults(r.Warnings, ascii)
	choices := map[string][]wizard.Choice{}
	for key, offered := range r.Choices {
		for _, choice := range offered {
			choices[key] = append(choices[key], wizard.Choice{Value: cleanText(choice.Value, ascii), Note: cleanText(choice.Note, ascii)})
		}
	}
	r.Choices, r.Quotas = choices, slices.Clone(r.Quotas)
	for i := range r.Quotas {
		r.Quotas[i].Resource = cleanText(r.Quotas[i].Resource, ascii)
	}
	return r
}

func cleanFaults(faults []wizard.Fault, ascii bool) []wizard.Fault {
	cleaned := slices.Clone(faults)
	for i, f := range faults {
		f.Problem, f.Allowed = cleanText(f.Problem, ascii), cleanText(f.Allowed, ascii)
		f.Suggestion, f.Field, f.Hint = cleanText(f.Suggestion, ascii), cleanText(f.Field, ascii), cleanText(f.Hint, ascii)
		cleaned[i] = f
	}
	return cleaned
}
