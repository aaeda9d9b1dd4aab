package wizard

import (
	"cmp"
	"slices"
	"strings"
)

// MergedAnswers is the answers that layers make together, with everything that is wrong with them.
type MergedAnswers struct {
	Answers *Answers
	Ask     []string // keys that are asked all the same; what they miss is no fault

	keys       []string // of all fields
	given      map[string]Given
	file       *document // the answers file, if there is one
	sources    []string  // in the order of the layers
	unreadable []string  // fields that some layer's answer could not be read of
	invalid    bool      // some layer has a fault of its own
	problems   []Problem
}

// MergeLayers puts the answers that were given into the defaults and checks them. given says by key which layer's answer
// counts; the layers are named from the lowest to the highest, so that the faults of all of them are told.
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

// check adds what is wrong with the answers together: what is wrong with each by itself, its layer has told of.
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

// isGiven tells whether an answer was given for this run alone, so that nobody needs to ask.
func (a *MergedAnswers) isGiven(key string) bool {
	given, ok := a.given[key]
	return ok && given.file == nil
}

// fill stores what was given. What cannot be stored, its layer has told of.
func (a *MergedAnswers) fill() {
	for _, field := range Fields() {
		given, ok := a.given[field.Key]
		if !ok {
			continue
		}
		if given.file != nil && field.Shape() == Groups { // each of its faults has a place of its own there
			a.Answers.Spec.Sizing.ExtraGroups = given.file.spec.Sizing.ExtraGroups
		} else if field.value.store(&a.Answers.Spec, given.Text) != nil {
			continue
		}
		a.Answers.Origins[field.Key] = given.Origin()
	}
	a.fillFacts()
}

// newProblems returns faults that know their field only with their places, without those of fields, or of what they are part
// of, that are known to be wrong or are asked.
func (a *MergedAnswers) newProblems(faults []Problem) []Problem {
	return a.WithPositions(slices.DeleteFunc(faults, func(f Problem) bool { return hasProblem(a.problems, f.Field) || a.isAsked(f.Field) }))
}

func (a *MergedAnswers) isAsked(field string) bool { return slices.Contains(a.Ask, a.findKey(field)) }

// Resolve returns the secrets that the answers refer to, and adds what is wrong with them and with the other files
// that the answers name.
func (a *MergedAnswers) Resolve(lookup func(env string) (string, bool)) Secrets {
	secrets, faults := a.TryResolve(lookup)
	a.problems = append(a.problems, faults...)
	return secrets
}

// TryResolve is Resolve for somebody else's answers: what is not on this machine is returned and not added.
func (a *MergedAnswers) TryResolve(lookup func(env string) (string, bool)) (Secrets, []Problem) {
	if a.file != nil && a.file.unparsable {
		return Secrets{}, nil
	}
	secrets, faults := ResolveSecrets(a.Answers.Spec, lookup)
	return secrets, a.newProblems(append(faults, CheckPaths(a.Answers.Spec)...))
}

// findKey returns the field that a path is in, or the path itself.
func (a *MergedAnswers) findKey(path string) string {
	for whole := path; whole != ""; whole = parentOf(whole) {
		if _, single := a.given[whole]; single || slices.Contains(a.keys, whole) {
			return whole
		}
	}
	return path
}

// WithPositions returns faults that know their field only with the places of the answers that they are about, in
// the order of Faults.
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

// IsOnlyMissing tells whether nothing is wrong but that these answers are missing.
func (a *MergedAnswers) IsOnlyMissing(needs []MissingAnswer) bool {
	return !a.invalid && !slices.ContainsFunc(a.problems, func(f Problem) bool {
		return !slices.ContainsFunc(needs, func(need MissingAnswer) bool { return need.Field == f.Field })
	})
}

// Problems returns all faults: those of a layer together, in the order of its file.
func (a *MergedAnswers) Problems() []Problem {
	return a.sortProblems(slices.Clone(a.problems))
}

func (a *MergedAnswers) sortProblems(faults []Problem) []Problem {
	slices.SortStableFunc(faults, func(x, y Problem) int {
		return cmp.Or(cmp.Compare(a.rankSource(x.File), a.rankSource(y.File)), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
	})
	return faults
}

// rankSource orders the sources as their layers; what was given nowhere comes last.
func (a *MergedAnswers) rankSource(source string) int {
	switch at := slices.Index(a.sources, source); {
	case source == "":
		return len(a.sources) + 1
	case at < 0: // one of the environment's variables
		return len(a.sources)
	default:
		return at
	}
}

// validate adds the faults of the values that a file gives, each by itself: whether something is missing, all answers
// together decide.
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

// hasProblem tells whether there is a fault of the field, or of what holds it.
func hasProblem(faults []Problem, field string) bool {
	var fields []string
	for _, f := range faults {
		fields = append(fields, f.Field)
	}
	return containsField(fields, field)
}

// containsField tells whether a field, or what holds it, is one of those.
func containsField(fields []string, field string) bool {
	for ; field != ""; field = parentOf(field) {
		if slices.Contains(fields, field) {
			return true
		}
	}
	return false
}
