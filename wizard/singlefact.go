package wizard

import (
	"maps"
	"slices"
	"strings"
)

// findFact returns the field of one fact, syn.facts.NAME, whether or not the name is one of those that are known.
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

// findAnswer returns what one answer, on a command line or in a variable, is given to.
func findAnswer(key string) (Field, bool) {
	if field, known := find(listAnswerable(), key); known {
		return field, true
	}
	return findFact(key)
}

// listVariableFields are the fields whose answers may stand in an environment variable: of facts, those whose names are known.
func listVariableFields() []Field { return append(listAnswerable(), listFactFields()...) }

// FindFieldsOrFact returns what Below does, and the fact of that name.
func FindFieldsOrFact(name string) []Field {
	fields := FindFields(name)
	if fact, is := findFact(name); is && len(fields) == 0 {
		return []Field{fact}
	}
	return fields
}

// collectFacts returns the facts that count of those which were given one by one, by their keys. They lie over all facts
// that the same layer or a lower one gives together, and those over what is below.
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

// fillFacts stores the facts that were given one by one, over those that were given together.
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

// recordFactOrigin notes where one fact came from. That of all facts together names each source once.
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

// clearOrigin takes back where an answer, and the answers inside of it, came from.
func (a *Answers) clearOrigin(key string) {
	maps.DeleteFunc(a.Origins, func(known, _ string) bool { return known == key || strings.HasPrefix(known, toPrefix(key)) })
}
