package wizard

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"exoshift/state"

	"github.com/agnivade/levenshtein"
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
	problems   []Problem
	unreadable []string // fields whose values do not parse, and their parents
}

// ReadAnswers reads an answers file. name is the file's name in problems.
func ReadAnswers(name string, yaml []byte) Layer { return newFileLayer(read(name, yaml, false)) }

// ReadUsual reads a file with a user's defaults: an answers file of which nothing is required.
func ReadUsual(name string, yaml []byte) Layer { return newFileLayer(read(name, yaml, true)) }

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
			layer.problems = append(layer.problems, Problem{Field: SetFlag, Message: quote(flag) + " is not of the form KEY=VALUE",
				Allowed: "e.g. " + SetFlag + " cluster.id=c-demo-1"})
		case !known:
			layer.addProblems(SetFlag, []Problem{{Field: formatPath(key), Message: "unknown key", Suggestion: findNearest(key, listKeys())}})
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

func (l *Layer) setAnswer(field Field, text, source string) {
	text = strings.TrimSpace(text)
	l.Given[field.Key] = Given{Text: text, Source: source}
	spec := state.Default()
	err := field.value.store(&spec, text)
	switch {
	case err == nil && text == "":
		return // the other answers decide whether it may be empty
	case err == nil:
		l.addProblems(source, field.check(spec))
		return
	case text == "":
		err = errors.New("has no value")
	}
	l.unreadable = append(l.unreadable, field.Key)
	if inside := extractProblems(err); len(inside) > 0 {
		l.addProblems(source, inside)
		return
	}
	l.addProblems(source, withField(field.Key, newProblem(err.Error(), field.formatAllowed(), "")))
}

func (l *Layer) addProblems(source string, faults []Problem) {
	for _, f := range faults {
		f.File = source
		l.problems = append(l.problems, f)
	}
}

func extractProblems(err error) []Problem {
	var single Problem
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var faults []Problem
		for _, each := range several.Unwrap() {
			faults = append(faults, extractProblems(each)...)
		}
		return faults
	}
	if errors.As(err, &single) {
		return []Problem{single}
	}
	return nil
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

// MergedAnswers is the result of merging layers, with all problems.
type MergedAnswers struct {
	Answers *Answers
	Ask     []string // keys that are asked even with answers; a missing answer of these is no problem

	keys       []string // of all fields
	given      map[string]Given
	file       *document // the answers file, if there is one
	sources    []string  // in the order of the layers
	unreadable []string  // fields that do not parse in some layer
	invalid    bool      // some layer has a problem of its own
	problems   []Problem
}

// MergeLayers merges the given answers into the defaults and checks them. given has the effective answer of each key; the
// layers are in ascending precedence, and the problems of all of them are reported.
func MergeLayers(given map[string]Given, layers ...Layer) *MergedAnswers {
	a := &MergedAnswers{Answers: NewAnswers(), given: collectFacts(layers), keys: listKeys()}
	for _, key := range a.keys {
		if one, is := given[key]; is {
			a.given[key] = one
		}
	}
	broken := false
	for _, layer := range layers {
		a.problems = append(a.problems, layer.problems...)
		a.unreadable = append(a.unreadable, layer.unreadable...)
		a.Ask = append(a.Ask, layer.Ask...)
		if a.sources = append(a.sources, layer.source); layer.file != nil {
			broken = broken || layer.file.unparsable
			if !layer.file.isUserConfig {
				a.file = layer.file
			}
		}
	}
	a.invalid = len(a.problems) > 0
	a.Ask = slices.DeleteFunc(a.Ask, a.isGiven)
	a.fill()
	if !broken {
		a.check()
	}
	return a
}

// check reports problems across answers; those of single answers are in their layers.
func (a *MergedAnswers) check() {
	type saying struct{ field, problem string }
	told := map[saying]bool{}
	for _, f := range a.problems {
		told[saying{f.Field, f.Message}] = true
	}
	var fresh []Problem
	for _, f := range Check(a.Answers.Spec) {
		if !told[saying{f.Field, f.Message}] && !containsField(a.unreadable, f.Field) && !a.isAsked(f.Field) {
			fresh = append(fresh, f)
		}
	}
	a.problems = append(a.problems, a.WithPositions(fresh)...)
}

// Such an answer need not be asked.
func (a *MergedAnswers) isGiven(key string) bool {
	given, ok := a.given[key]
	return ok && given.file == nil
}

// A value that cannot be stored is a problem of its layer already.
func (a *MergedAnswers) fill() {
	for _, field := range Fields() {
		given, ok := a.given[field.Key]
		if !ok {
			continue
		}
		if given.file != nil && field.Shape() == Groups { // each of its problems has its own position there
			a.Answers.Spec.Sizing.ExtraGroups = given.file.spec.Sizing.ExtraGroups
		} else if field.value.store(&a.Answers.Spec, given.Text) != nil {
			continue
		}
		a.Answers.Origins[field.Key] = given.Origin()
	}
	a.fillFacts()
}

// newProblems adds positions, and drops problems of fields that are known to be wrong or are asked.
func (a *MergedAnswers) newProblems(faults []Problem) []Problem {
	return a.WithPositions(slices.DeleteFunc(faults, func(f Problem) bool { return hasProblem(a.problems, f.Field) || a.isAsked(f.Field) }))
}

func (a *MergedAnswers) isAsked(field string) bool { return slices.Contains(a.Ask, a.findKey(field)) }

// Resolve returns the secrets that the answers refer to, and adds the problems of them and of the other files that the
// answers name.
func (a *MergedAnswers) Resolve(lookup func(env string) (string, bool)) Secrets {
	secrets, faults := a.TryResolve(lookup)
	a.problems = append(a.problems, faults...)
	return secrets
}

// TryResolve is Resolve for another user's answers: what this machine lacks is returned, not added.
func (a *MergedAnswers) TryResolve(lookup func(env string) (string, bool)) (Secrets, []Problem) {
	if a.file != nil && a.file.unparsable {
		return Secrets{}, nil
	}
	secrets, faults := ResolveSecrets(a.Answers.Spec, lookup)
	return secrets, a.newProblems(append(faults, CheckPaths(a.Answers.Spec)...))
}

// A path that is in no field is returned as it is.
func (a *MergedAnswers) findKey(path string) string {
	for whole := path; whole != ""; whole = parentOf(whole) {
		if _, single := a.given[whole]; single || slices.Contains(a.keys, whole) {
			return whole
		}
	}
	return path
}

// WithPositions adds the positions of the answers to problems that have a field only, and sorts them like Problems.
func (a *MergedAnswers) WithPositions(faults []Problem) []Problem {
	placed := slices.Clone(faults)
	for i, f := range placed {
		given, ok := a.given[a.findKey(f.Field)]
		switch {
		case ok && given.file == nil:
			placed[i].File = given.Source
		case ok:
			placed[i] = given.file.withPosition(f, given.file.findPosition(f.Field))
		case a.file != nil:
			placed[i] = a.file.withPosition(f, a.file.findPosition(f.Field))
		}
	}
	return a.sortProblems(placed)
}

// IsOnlyMissing reports whether these missing answers are the only problem.
func (a *MergedAnswers) IsOnlyMissing(needs []MissingAnswer) bool {
	return !a.invalid && !slices.ContainsFunc(a.problems, func(f Problem) bool {
		return !slices.ContainsFunc(needs, func(need MissingAnswer) bool { return need.Field == f.Field })
	})
}

// Problems returns all problems, grouped by layer, in the order of its file.
func (a *MergedAnswers) Problems() []Problem {
	return a.sortProblems(slices.Clone(a.problems))
}

func (a *MergedAnswers) sortProblems(faults []Problem) []Problem {
	slices.SortStableFunc(faults, func(x, y Problem) int {
		return cmp.Or(cmp.Compare(a.rankSource(x.File), a.rankSource(y.File)), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
	})
	return faults
}

// Sources are ordered as their layers; what is in none comes last.
func (a *MergedAnswers) rankSource(source string) int {
	switch at := slices.Index(a.sources, source); {
	case source == "":
		return len(a.sources) + 1
	case at < 0: // an environment variable
		return len(a.sources)
	default:
		return at
	}
}

// validate checks the values of a file, each by itself; whether one is missing depends on all layers.
func (d *document) validate() {
	var fresh []Problem
	for _, field := range listFieldsOf(d.spec) {
		_, given := d.positions[field.Key]
		inGroup := strings.Contains(field.Key, "]")
		if inGroup || given && field.Get(d.spec) != "" {
			fresh = append(fresh, field.check(d.spec)...)
		}
	}
	for _, f := range slices.DeleteFunc(fresh, func(f Problem) bool { return hasProblem(d.problems, f.Field) }) {
		d.report(d.findPosition(f.Field), f)
	}
}

func hasProblem(faults []Problem, field string) bool {
	var fields []string
	for _, f := range faults {
		fields = append(fields, f.Field)
	}
	return containsField(fields, field)
}

func containsField(fields []string, field string) bool {
	for ; field != ""; field = parentOf(field) {
		if slices.Contains(fields, field) {
			return true
		}
	}
	return false
}
