package wizard

import (
	"fmt"
	"strconv"
	"strings"

	"exoshift/wizard/recognize"
)

// Problem is one thing that is wrong with the answers. It never holds the value of a secret.
type Problem struct {
	File         string // source of the value: a file, an environment variable or a flag; may be empty
	Line, Column int    // from 1; 0 outside of files
	Field        string // the key path, e.g. network.podCIDR or sizing.extraGroups[0].type
	Message      string // what is wrong
	Allowed      string // what is allowed; may be empty
	Suggestion   string // what was probably meant; may be empty
	Hint         string // the next action, where the value may be right; may be empty
}

// String returns the problem on one line: file:line:col  field  problem  allowed: …  did you mean …?
func (f Problem) String() string {
	parts := []string{f.Field, f.Message}
	if place := f.formatPosition(); place != "" {
		parts = append([]string{place}, parts...)
	}
	if f.Allowed != "" {
		parts = append(parts, "allowed: "+f.Allowed)
	}
	if f.Suggestion != "" {
		parts = append(parts, "did you mean "+f.Suggestion+"?")
	}
	if f.Hint != "" {
		parts = append(parts, f.Hint)
	}
	return strings.TrimPrefix(strings.Join(parts, "  "), "  ")
}

func (f Problem) formatPosition() string {
	if f.Line == 0 {
		return f.File
	}
	return fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)
}

func (f Problem) Error() string { return f.String() }

// FindFix returns the suggested answer and its field: a problem between two answers may be fixed in the other one.
// Without a suggestion the text is empty.
func (f Problem) FindFix() (key, text string) {
	if other, value, two := strings.Cut(f.Suggestion, ": "); two {
		if _, is := Find(Fields(), other); is {
			return other, value
		}
	}
	return f.Field, f.Suggestion
}

// NewProblem returns a problem that has no field yet.
func NewProblem(problem, allowed, suggestion string) []Problem {
	return []Problem{{Message: problem, Allowed: allowed, Suggestion: suggestion}}
}

// WithField sets the field of problems.
func WithField(field string, faults []Problem) []Problem {
	for i := range faults {
		faults[i].Field = field
	}
	return faults
}

// MaxShown is the length up to which a problem repeats a value, in characters.
const MaxShown = 60

// Quote returns a value for a problem. A value that is long, has several lines or resembles a key is never repeated: it may be a secret that was pasted into
// the wrong field.
func Quote(value string) string {
	if len(value) > MaxShown || strings.ContainsAny(value, "\n\r") || strings.Contains(value, "PRIVATE KEY") ||
		strings.Contains(value, `"auth`) || recognize.Secret(value) != "" {
		return "the value"
	}
	return strconv.Quote(value)
}

// FormatChoices lists the allowed values for a problem.
func FormatChoices(choices []string) string {
	if len(choices) == 1 {
		return choices[0]
	}
	return "one of " + strings.Join(choices, ", ")
}
