package wizard

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"exoshift/state"
)

const variablePrefix = "EXOSHIFT_"

// Variable returns the environment variable of the answer, e.g. EXOSHIFT_NETWORK_PODCIDR; "": none, as the name of an
// unknown fact is case-sensitive.
func (f Field) Variable() string {
	if _, known := find(listFactFields(), f.Key); !known && strings.HasPrefix(f.Key, toPrefix(factsKey)) {
		return ""
	}
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(f.Key, ".", "_"))
}

// CheckVariables returns a warning for each environment variable whose name is nearly that of a field. Those that the
// answers refer to are excepted.
func CheckVariables(spec state.Spec, variables []string) []Problem {
	var warnings []Problem
	for _, name := range variables {
		used := slices.ContainsFunc(listReferences(spec), func(r secretField) bool { return r.ref.Env == name })
		if meant := findVariable(name); meant != "" && !used {
			warnings = append(warnings, Problem{Field: name, Message: "this environment variable answers nothing", Suggestion: meant})
		}
	}
	return warnings
}

// In letters that are wrong, missing or too many.
const maxTypos = 2

func findVariable(name string) string {
	if !strings.HasPrefix(name, variablePrefix) || len(name) > maxShown {
		return ""
	}
	best, distance := "", maxTypos+1
	for _, field := range listVariableFields() {
		if d := levenshtein.ComputeDistance(name, field.Variable()); d < distance {
			best, distance = field.Variable(), d
		}
	}
	switch all := variablePrefix + "SYN_FACTS"; {
	case best == name:
		return ""
	case best == "" && strings.HasPrefix(name, all+"_"): // the name of an unknown fact, case-sensitive
		return all
	}
	return best
}
