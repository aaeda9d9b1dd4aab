package session

import (
	"errors"
	"maps"

	"exoshift/wizard"
)

// SkipKey is the key of the answer with the skipped connectivity checks.
const SkipKey = "checks.skip"

// SkipCheck adds a skipped check to the answers, or changes nothing and returns what is wrong with it. The reason ends with
// the day from which on the check is made again, "until 2027-01-31".
func SkipCheck(s *Session, id, reason string) error {
	field, _ := s.FindField(SkipKey)
	spec := s.Spec()
	skips := maps.Clone(spec.Checks.Skip)
	if skips == nil {
		skips = map[string]string{}
	}
	skips[id] = reason
	spec.Checks.Skip = skips
	text, tried := field.Get(spec), s.answers.Copy()
	if err := tried.Set(SkipKey, text, wizard.Typed); err != nil {
		return err
	}
	var errs []error
	for _, problem := range FilterProblems(SkipKey, wizard.Check(tried.Spec)) {
		errs = append(errs, problem)
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	return s.Set(SkipKey, text)
}
