package wizard

import (
	"cmp"
	"slices"
	"strings"
)

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
