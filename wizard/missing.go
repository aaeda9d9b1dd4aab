package wizard

import (
	"os"
	"strings"

	"exoshift/state"
)

// Need is an answer that is missing: the field, where it can be given, and what it is for.
type Need struct{ Field, Source, Why string }

// Missing returns what a run without any answers still has to be told.
func Missing() []Need { return MissingFrom(state.Default(), os.LookupEnv) }

// MissingFrom returns what a headless run with these answers still has to be told: required fields without a value,
// and secrets whose environment variable is not set.
func MissingFrom(spec state.Spec, lookup func(env string) (string, bool)) []Need {
	var needs []Need
	for _, field := range fieldsOf(spec) {
		value := field.Get(spec)
		env, fromEnv := strings.CutPrefix(value, "env:")
		switch {
		case value == "" && field.RequiredBy(spec):
			needs = append(needs, Need{Field: field.Key, Source: "answers file: install --answers FILE", Why: field.why()})
		case fromEnv && field.Secret:
			if secret, _ := lookup(env); strings.TrimSpace(secret) == "" {
				needs = append(needs, Need{Field: field.Key, Source: "environment variable " + env, Why: field.why()})
			}
		}
	}
	return needs
}

func (f Field) why() string {
	if f.Help == "" {
		return f.Title
	}
	return f.Title + ". " + f.Help
}
