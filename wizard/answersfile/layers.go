package answersfile

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"exoshift/internal/text/similar"
	"exoshift/state"
	"exoshift/wizard"
)

// Given is one answer as text, with its source.
type Given struct {
	Text   string
	Source string // the name of a file or of an environment variable, or SetFlag

	file *document // nil outside of files
	line int
}

// Origin returns the origin of the answer, as in Answers.Origins.
func (g Given) Origin() string {
	if g.file == nil {
		return g.Source
	}
	return fmt.Sprintf("%s:%d", filepath.Base(g.Source), g.line)
}

// Layer is the answers of one source. Layers override each other, see MergeLayers.
type Layer struct {
	Given map[string]Given // by the keys of Fields, and of single facts
	Ask   []string         // keys that are asked even with answers

	source     string
	file       *document
	problems   []wizard.Problem
	unreadable []string // fields whose values do not parse, and their parents
}

// ReadAnswers reads an answers file. name is the file's name in problems.
func ReadAnswers(name string, yaml []byte) Layer { return newFileLayer(read(name, yaml, false)) }

// ReadUsual reads a file with a user's defaults: an answers file of which nothing is required.
func ReadUsual(name string, yaml []byte) Layer { return newFileLayer(read(name, yaml, true)) }

// InForce is the source of answers that a cluster was installed with.
const InForce = "answers in force"

// ReadInForce reads the answers in force of a cluster that exists, for keys that nobody answers anew: its defaults are those of the
// program that installed it. What this program refuses in them is left out.
func ReadInForce(content []byte) Layer {
	d := read(InForce, content, true)
	layer := Layer{Given: map[string]Given{}, source: InForce}
	for _, field := range d.fields {
		if _, given := d.positions[field.Key]; given && !hasProblem(d.problems, field.Key) && len(field.Check(d.spec)) == 0 {
			layer.Given[field.Key] = Given{Text: field.Get(d.spec), Source: InForce}
		}
	}
	return layer
}

func newFileLayer(d *document) Layer {
	layer := Layer{Given: map[string]Given{}, Ask: d.ask, source: d.name, file: d}
	for _, field := range d.fields {
		if p, given := d.positions[field.Key]; given && !hasProblem(d.problems, field.Key) {
			layer.Given[field.Key] = Given{Text: field.Get(d.spec), Source: d.name, file: d, line: p.line}
		}
	}
	for _, f := range d.problems {
		layer.unreadable = append(layer.unreadable, f.Field)
	}
	if !d.unparsable {
		d.validate()
	}
	layer.problems = d.problems
	return layer
}

// SetFlag is the flag that gives one answer: --set KEY=VALUE.
const SetFlag = "--set"

// ReadFlags reads answers of the form KEY=VALUE. The last one of a key counts.
func ReadFlags(flags []string) Layer {
	layer := Layer{Given: map[string]Given{}, source: SetFlag}
	for _, flag := range flags {
		key, text, ok := strings.Cut(flag, "=")
		field, known := findAnswer(strings.TrimSpace(key))
		switch {
		case !ok:
			layer.problems = append(layer.problems, wizard.Problem{Field: SetFlag, Message: wizard.Quote(flag) + " is not of the form KEY=VALUE",
				Allowed: "e.g. " + SetFlag + " cluster.id=c-demo-1"})
		case !known:
			layer.addProblems(SetFlag, []wizard.Problem{{Field: wizard.FormatPath(key), Message: "unknown key", Suggestion: similar.FindNearest(key, wizard.ListKeys())}})
		default:
			layer.setAnswer(field, text, SetFlag)
		}
	}
	return layer
}

// ReadVariables reads the answers from environment variables; see Field.Variable.
func ReadVariables(lookup func(env string) (string, bool)) Layer {
	layer := Layer{Given: map[string]Given{}}
	for _, field := range listVariableFields() {
		if text, set := lookup(field.Variable()); set && text != "" {
			layer.setAnswer(field, text, field.Variable())
		}
	}
	return layer
}

func (l *Layer) setAnswer(field wizard.Field, text, source string) {
	text = strings.TrimSpace(text)
	l.Given[field.Key] = Given{Text: text, Source: source}
	spec := state.Default()
	err := field.Store(&spec, text)
	switch {
	case err == nil && text == "":
		return // the other answers decide whether it may be empty
	case err == nil:
		l.addProblems(source, field.Check(spec))
		return
	case text == "":
		err = errors.New("has no value")
	}
	l.unreadable = append(l.unreadable, field.Key)
	if inside := extractProblems(err); len(inside) > 0 {
		l.addProblems(source, inside)
		return
	}
	l.addProblems(source, wizard.WithField(field.Key, wizard.NewProblem(err.Error(), field.FormatAllowed(), "")))
}

func (l *Layer) addProblems(source string, faults []wizard.Problem) {
	for _, f := range faults {
		f.File = source
		l.problems = append(l.problems, f)
	}
}

func extractProblems(err error) []wizard.Problem {
	var single wizard.Problem
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var faults []wizard.Problem
		for _, each := range several.Unwrap() {
			faults = append(faults, extractProblems(each)...)
		}
		return faults
	}
	if errors.As(err, &single) {
		return []wizard.Problem{single}
	}
	return nil
}

// CheckVariables returns a warning for each environment variable whose name is nearly that of a field. Those that the
// answers refer to are excepted.
func CheckVariables(spec state.Spec, variables []string) []wizard.Problem {
	var warnings []wizard.Problem
	for _, name := range variables {
		used := slices.ContainsFunc(wizard.ListReferences(spec), func(r wizard.FieldReference) bool { return r.Ref.Env == name })
		if meant := findVariable(name); meant != "" && !used {
			warnings = append(warnings, wizard.Problem{Field: name, Message: "no answer has this environment variable", Suggestion: meant})
		}
	}
	return warnings
}

// In letters that are wrong, missing or too many.
const maxTypos = 2

func findVariable(name string) string {
	if !strings.HasPrefix(name, wizard.VariablePrefix) || len(name) > wizard.MaxShown {
		return ""
	}
	var variables []string
	for _, field := range listVariableFields() {
		variables = append(variables, field.Variable())
	}
	best := similar.FindWithin(name, variables, maxTypos)
	switch all := wizard.VariablePrefix + "SYN_FACTS"; {
	case best == name:
		return ""
	case best == "" && strings.HasPrefix(name, all+"_"): // the name of an unknown fact, case-sensitive
		return all
	}
	return best
}

// validate checks the values of a file, each by itself; whether one is missing depends on all layers.
func (d *document) validate() {
	var fresh []wizard.Problem
	for _, field := range wizard.ListFieldsOf(d.spec) {
		_, given := d.positions[field.Key]
		inGroup := strings.Contains(field.Key, "]")
		if inGroup || given && field.Get(d.spec) != "" {
			fresh = append(fresh, field.Check(d.spec)...)
		}
	}
	for _, f := range slices.DeleteFunc(fresh, func(f wizard.Problem) bool { return hasProblem(d.problems, f.Field) }) {
		d.report(d.findPosition(f.Field), f)
	}
}

func hasProblem(faults []wizard.Problem, field string) bool {
	var fields []string
	for _, f := range faults {
		fields = append(fields, f.Field)
	}
	return containsField(fields, field)
}

func containsField(fields []string, field string) bool {
	for ; field != ""; field = wizard.ParentOf(field) {
		if slices.Contains(fields, field) {
			return true
		}
	}
	return false
}
