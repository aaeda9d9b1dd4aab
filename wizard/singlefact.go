package wizard

import (
	"maps"
	"slices"
	"strings"
)

func findFact(key string) (Field, bool) {
	name, is := strings.CutPrefix(key, factsKey+".")
	if !is || name == "" {
		return Field{}, false
	}
	if known, found := find(listFactFields(), key); found {
		return known, true
	}
	return Field{
		Key: toPrefix(factsKey) + formatPath(name), Title: "Another fact", Screen: Syn, Effect: Adds, when: hasLieutenant,
		Help: "A fact that Lieutenant is told about the cluster.", value: bindFact(name),
	}, true
}

// findAnswer returns the field of an answer on a command line or in a variable.
func findAnswer(key string) (Field, bool) {
	if field, known := find(listAnswerable(), key); known {
		return field, true
	}
	return findFact(key)
}

// Only known facts have a variable.
func listVariableFields() []Field { return append(listAnswerable(), listFactFields()...) }

// FindFieldsOrFact returns what FindFields does, and the fact of that name.
func FindFieldsOrFact(name string) []Field {
	fields := FindFields(name)
	if fact, is := findFact(name); is && len(fields) == 0 {
		return []Field{fact}
	}
	return fields
}

// collectFacts returns the effective single facts by key. They override the facts as a whole of the same layer or a lower
// one, which override what is below.
func collectFacts(layers []Layer) map[string]Given {
	single := map[string]Given{}
	for _, layer := range layers {
		if _, together := layer.Given[factsKey]; together {
			clear(single)
		}
		for key, given := range layer.Given {
			if strings.HasPrefix(key, toPrefix(factsKey)) {
				single[key] = given
			}
		}
	}
	return single
}

func (a *MergedAnswers) fillFacts() {
	together, given := a.Answers.Origins[factsKey]
	for name := range a.Answers.Spec.Syn.Facts {
		if given {
			a.Answers.Origins[toPrefix(factsKey)+name] = together
		}
	}
	for _, key := range slices.Sorted(maps.Keys(a.given)) {
		field, is := findFact(key)
		if !is {
			continue
		}
		if given := a.given[key]; field.value.store(&a.Answers.Spec, given.Text) == nil {
			a.Answers.recordFactOrigin(key, given.Origin())
		}
	}
}

// The origin of all facts together names each source once.
func (a *Answers) recordFactOrigin(key, origin string) {
	a.Origins[key] = origin
	sources := strings.Split(a.Origins[factsKey], ", ")
	if sources[0] == "" {
		sources = nil
	}
	if !slices.Contains(sources, origin) {
		a.Origins[factsKey] = strings.Join(append(sources, origin), ", ")
	}
}

func (a *Answers) clearOrigin(key string) {
	maps.DeleteFunc(a.Origins, func(known, _ string) bool { return known == key || strings.HasPrefix(known, toPrefix(key)) })
}
