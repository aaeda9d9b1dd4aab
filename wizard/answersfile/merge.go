package answersfile

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"exoshift/internal/stable"
	"exoshift/wizard"
	"exoshift/wizard/local"
	"exoshift/wizard/profile"
)

// MergedAnswers is the result of merging layers, with all problems.
type MergedAnswers struct {
	Answers *wizard.Answers
	Ask     []string // keys that are asked even with answers; a missing answer of these is no problem

	keys       []string // of all fields
	given      map[string]Given
	file       *document // the answers file, if there is one
	sources    []string  // in the order of the layers
	unreadable []string  // fields that do not parse in some layer
	invalid    bool      // some layer has a problem of its own
	problems   []wizard.Problem
}

// MergeLayers merges the given answers into the defaults and checks them. given has the effective answer of each key; the
// layers are in ascending precedence, and the problems of all of them are reported.
func MergeLayers(given map[string]Given, layers ...Layer) *MergedAnswers {
	a := &MergedAnswers{Answers: wizard.NewAnswers(), given: collectFacts(layers), keys: wizard.ListKeys()}
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
	reported := map[saying]bool{}
	for _, f := range a.problems {
		reported[saying{f.Field, f.Message}] = true
	}
	var fresh []wizard.Problem
	for _, f := range wizard.Check(a.Answers.Spec) {
		if !reported[saying{f.Field, f.Message}] && !containsField(a.unreadable, f.Field) && !a.isAsked(f.Field) {
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
	for _, field := range wizard.Fields() {
		given, ok := a.given[field.Key]
		if !ok {
			continue
		}
		if given.file != nil && field.Shape() == wizard.Groups { // each of its problems has its own position there
			a.Answers.Spec.Sizing.ExtraGroups = given.file.spec.Sizing.ExtraGroups
		} else if field.Store(&a.Answers.Spec, given.Text) != nil {
			continue
		}
		a.Answers.Origins[field.Key] = given.Origin()
	}
	profile.Apply(&a.Answers.Spec, a.Answers.Origins)
	a.fillFacts()
}

// newProblems adds positions, and drops problems of fields that are known to be wrong or are asked.
func (a *MergedAnswers) newProblems(faults []wizard.Problem) []wizard.Problem {
	return a.WithPositions(slices.DeleteFunc(faults, func(f wizard.Problem) bool { return hasProblem(a.problems, f.Field) || a.isAsked(f.Field) }))
}

func (a *MergedAnswers) isAsked(field string) bool { return slices.Contains(a.Ask, a.findKey(field)) }

// Resolve returns the secrets that the answers refer to, and adds the problems of them and of the other files that the
// answers name.
func (a *MergedAnswers) Resolve(lookup func(env string) (string, bool)) wizard.Secrets {
	secrets, faults := a.TryResolve(lookup)
	a.problems = append(a.problems, faults...)
	return secrets
}

// TryResolve is Resolve for another user's answers: what this machine lacks is returned, not added.
func (a *MergedAnswers) TryResolve(lookup func(env string) (string, bool)) (wizard.Secrets, []wizard.Problem) {
	if a.file != nil && a.file.unparsable {
		return wizard.Secrets{}, nil
	}
	secrets, faults := local.ResolveSecrets(a.Answers.Spec, lookup)
	return secrets, a.newProblems(append(faults, local.CheckPaths(a.Answers.Spec)...))
}

// A path that is in no field is returned as it is.
func (a *MergedAnswers) findKey(path string) string {
	for whole := path; whole != ""; whole = wizard.ParentOf(whole) {
		if _, single := a.given[whole]; single || slices.Contains(a.keys, whole) {
			return whole
		}
	}
	return path
}

// WithPositions adds the positions of the answers to problems that have a field only, and sorts them like Problems.
func (a *MergedAnswers) WithPositions(faults []wizard.Problem) []wizard.Problem {
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
	return !a.invalid && !slices.ContainsFunc(a.problems, func(f wizard.Problem) bool {
		return !slices.ContainsFunc(needs, func(need MissingAnswer) bool { return need.Field == f.Field })
	})
}

// Problems returns all problems, grouped by layer, in the order of its file.
func (a *MergedAnswers) Problems() []wizard.Problem {
	return a.sortProblems(slices.Clone(a.problems))
}

func (a *MergedAnswers) sortProblems(faults []wizard.Problem) []wizard.Problem {
	stable.Sort(faults, func(x, y wizard.Problem) int {
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

// collectFacts returns the effective single facts by key. They override the facts as a whole of the same layer or a lower
// one, which override what is below.
func collectFacts(layers []Layer) map[string]Given {
	single := map[string]Given{}
	for _, layer := range layers {
		if _, together := layer.Given[wizard.FactsKey]; together {
			clear(single)
		}
		for key, given := range layer.Given {
			if strings.HasPrefix(key, wizard.ToPrefix(wizard.FactsKey)) {
				single[key] = given
			}
		}
	}
	return single
}

func (a *MergedAnswers) fillFacts() {
	together, given := a.Answers.Origins[wizard.FactsKey]
	for name := range a.Answers.Spec.Syn.Facts {
		if given {
			a.Answers.Origins[wizard.ToPrefix(wizard.FactsKey)+name] = together
		}
	}
	for _, key := range slices.Sorted(maps.Keys(a.given)) {
		field, is := wizard.FindFact(key)
		if !is {
			continue
		}
		if given := a.given[key]; field.Store(&a.Answers.Spec, given.Text) == nil {
			a.Answers.RecordFactOrigin(key, given.Origin())
		}
	}
}
