package session

import (
	"errors"
	"slices"

	"exoshift/wizard"
)

// Status is the worst of what is known about a screen.
type Status int

// The statuses, from good to bad.
const (
	OK      Status = iota
	Warning        // may be left as it is
	Error          // blocks
)

// validation holds all errors and warnings, by field. Each problem is listed once per field, also when it is about a part of the
// field, or about the field of which this one is a part.
type validation struct {
	all              []wizard.Problem // errors, unfiltered
	errors, warnings map[string][]wizard.Problem
}

// checkAnswers validates the answers, and has the files and variables checked that they refer to.
func (s *Session) checkAnswers() {
	s.invalidate()
	s.index = newFieldIndex(s.answers)
	s.answerErrors = wizard.CheckAsked(s.Spec())
	s.Local.schedule(s.Spec())
}

func (s *Session) validate() *validation {
	if s.validation == nil {
		all := slices.Concat(s.answerErrors, s.Local.errors, s.Shortages())
		for _, q := range s.Lookups.all {
			all = append(all, q.Result.Problems...)
		}
		for _, r := range s.rejections {
			all = append(all, r.problems...)
		}
		s.validation = &validation{all, s.index.group(all), s.index.group(s.ListWarnings())}
	}
	return s.validation
}

// ListWarnings returns all warnings, also those about no field.
func (s *Session) ListWarnings() []wizard.Problem {
	warnings := slices.Clone(s.Local.warnings)
	for _, q := range s.Lookups.all {
		warnings = append(warnings, q.Result.Warnings...)
	}
	return warnings
}

// Errors returns the errors of a field, which block going forward. A missing answer is only an error once the field was left.
func (s *Session) Errors(key string) []wizard.Problem {
	if r, rejected := s.rejections[key]; rejected {
		return r.problems
	}
	if s.index.values[key] == "" && !s.touched[key] {
		return nil
	}
	return s.validate().errors[key]
}

// IsRejected reports whether the text of a field was rejected.
func (s *Session) IsRejected(key string) bool { _, rejected := s.rejections[key]; return rejected }

// Warnings returns the warnings of a field.
func (s *Session) Warnings(key string) []wizard.Problem { return s.validate().warnings[key] }

// AllErrors returns the errors of all screens, also those that are not shown yet.
func (s *Session) AllErrors() []wizard.Problem { return s.validate().all }

// ScreenErrors returns the errors of a screen in the order of its fields, each once, then those of its lookups and of the quotas
// that no field can fix. Errors that are not shown yet are included.
func (s *Session) ScreenErrors(screen wizard.Screen) []wizard.Problem {
	var blocking []wizard.Problem
	for _, field := range s.index.screens[screen] {
		blocking = addOnce(blocking, s.validate().errors[field.Key]...)
	}
	for _, q := range s.Lookups.all {
		if q.Screen == screen {
			blocking = append(blocking, s.index.unassigned(q.Result.Problems)...)
		}
	}
	if screen == wizard.Nodes {
		blocking = append(blocking, s.index.unassigned(s.Shortages())...)
	}
	return blocking
}

// Shortages returns the limits of the organization that do not suffice.
func (s *Session) Shortages() []wizard.Problem {
	quotas := s.Lookups.Quotas()
	if len(quotas) == 0 {
		return nil
	}
	return CheckQuotas(s.Spec(), quotas, s.Estimates.Estimate(s.Spec()).Needs)
}

// TouchErrors has all errors of a screen shown.
func (s *Session) TouchErrors(screen wizard.Screen) {
	for _, problem := range s.ScreenErrors(screen) {
		s.touched[problem.Field] = true
		if field, found := s.index.find(problem.Field); found {
			s.touched[field.Key] = true
		}
	}
}

// Status considers the errors that are shown, then the warnings.
func (s *Session) Status(screen wizard.Screen) Status {
	status := OK
	for _, field := range s.index.screens[screen] {
		if len(s.Errors(field.Key)) > 0 {
			return Error
		}
		if len(s.Warnings(field.Key)) > 0 {
			status = Warning
		}
	}
	if screen == wizard.Nodes && len(s.index.unassigned(s.Shortages())) > 0 {
		return Error
	}
	for _, q := range s.Lookups.all {
		switch {
		case q.Screen != screen || q.State != Known:
		case len(s.index.unassigned(q.Result.Problems)) > 0:
			return Error
		case q.Err != nil || len(q.Result.Warnings) > 0:
			status = Warning
		}
	}
	return status
}

// Answer returns an answer as text. valid reports whether it is valid, and present if it is required.
func (s *Session) Answer(key string) (text string, valid bool) {
	return s.index.values[key], !s.IsRejected(key) && len(FilterProblems(key, s.answerErrors)) == 0
}

// FilterProblems returns the problems of a field and of its parts, each once.
func FilterProblems(key string, problems []wizard.Problem) []wizard.Problem {
	var found []wizard.Problem
	for _, p := range problems {
		if HasPrefix(p.Field, key) && !slices.ContainsFunc(found, func(g wizard.Problem) bool { return g.Message == p.Message }) {
			found = append(found, p)
		}
	}
	return found
}

// SplitProblems returns the problems of which an error consists; any other error is one of the field.
func SplitProblems(key string, err error) []wizard.Problem {
	var list interface{ Unwrap() []error }
	if errors.As(err, &list) {
		var problems []wizard.Problem
		for _, one := range list.Unwrap() {
			problems = append(problems, SplitProblems(key, one)...)
		}
		return problems
	}
	var problem wizard.Problem
	if !errors.As(err, &problem) {
		problem = wizard.Problem{Field: key, Message: err.Error()}
	}
	return []wizard.Problem{problem}
}
