package wizard

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"exoshift/state"
)

// variablePrefix opens the names of the environment variables that give answers.
const variablePrefix = "EXOSHIFT_"

// Variable is the environment variable that gives the answer, e.g. EXOSHIFT_NETWORK_PODCIDR; "": none can, as the name of
// a fact that is not known may have small letters and capitals.
func (f Field) Variable() string {
	if _, known := find(factFields(), f.Key); !known && strings.HasPrefix(f.Key, prefix(factsKey)) {
		return ""
	}
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(f.Key, ".", "_"))
}

// Mistyped returns a warning for each environment variable that is nearly that of a field, but none. Those that the
// answers refer to are used as they are.
func Mistyped(spec state.Spec, variables []string) []Fault {
	var warnings []Fault
	for _, name := range variables {
		used := slices.ContainsFunc(references(spec), func(r secretOf) bool { return r.ref.Env == name })
		if meant := meantVariable(name); meant != "" && !used {
			warnings = append(warnings, Fault{Field: name, Problem: "this environment variable answers nothing", Suggestion: meant})
		}
	}
	return warnings
}

// typos is how many letters of a name may be wrong, missing or too many.
const typos = 2

func meantVariable(name string) string {
	if !strings.HasPrefix(name, variablePrefix) || len(name) > shown {
		return ""
	}
	best, distance := "", typos+1
	for _, field := range variables() {
		if d := levenshtein.ComputeDistance(name, field.Variable()); d < distance {
			best, distance = field.Variable(), d
		}
	}
	switch all := variablePrefix + "SYN_FACTS"; {
	case best == name:
		return ""
	case best == "" && strings.HasPrefix(name, all+"_"): // of a fact whose name nobody knows, letter by letter
		return all
	}
	return best
}
