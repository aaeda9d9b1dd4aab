package wizard

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"exoshift/state"
)

const factsKey = "syn.facts"

// fact is a property that Lieutenant stores about customers' clusters, and that their configuration may depend on.
type fact struct {
	name, title, example string
	help, why, source    string
	known                []Choice // usual values
	form                 string   // regular expression of usual values, if they have a form only
	several              bool     // of the values, with commas
	when                 func(state.Spec) bool
}

// The values are those of Project Syn at VSHN.
func listKnownFacts() []fact {
	return []fact{
		{name: "sales_order", title: "Sales order", example: "S10000", form: `^S[0-9]+$`,
			help: "The number of the order that the cluster belongs to.", why: "The cluster is accounted for by it.",
			source: "Those who sold the cluster. Leave it empty for a cluster that nobody pays for."},
		{name: "service_level", title: "Service level", example: "guaranteed-availability",
			known: []Choice{{"guaranteed-availability", "the cluster is looked after at any hour"}},
			help:  "How quickly somebody comes if the cluster is in trouble.", why: "Alerts of the cluster reach people by it.",
			source: "The contract about the cluster."},
		{name: "access_policy", title: "Access policy", example: "regular",
			known: []Choice{{"regular", "all engineers"}, {"swissonly", "only those in Switzerland"}},
			help:  "Which engineers may reach the cluster.", why: "Permissions inside of the cluster follow from it.",
			source: "The contract about the cluster."},
		{name: "release_channel", title: "Release channel", example: "stable",
			known: []Choice{{"stable", "configuration that others have tried first"}},
			help:  "Which releases of the shared configuration the cluster follows.",
			why:   "Changes of the shared configuration arrive by this channel.", source: "You choose it. Nearly all clusters follow stable."},
		{name: "maintenance_window", title: "Maintenance window", example: "tuesday-1000",
			known: []Choice{
				{"monday-1400", "Mondays at 14:00, for clusters to test with"}, {"tuesday-1000", "Tuesdays at 10:00, for production"},
				{"custom", "one of the cluster's own, in its configuration"},
			},
			help: "When the cluster is updated every week.", why: "The first maintenance takes its settings, and nodes restart at that time.",
			source: "Agree on it with those who use the cluster."},
		{name: "cilium_addons", title: "Additions of Cilium", example: "advanced_networking", several: true, when: hasCilium,
			known: []Choice{
				{"NONE", "Cilium alone"}, {"advanced_networking", "egress gateways and more"}, {"tetragon", "watches what programs do"},
			},
			help: "What is run of Cilium beyond the network itself; several have commas between them.",
			why:  "Each addition needs a subscription.", source: "The contract about the cluster."},
	}
}

func hasCilium(spec state.Spec) bool { return hasLieutenant(spec) && spec.Network.CNI == cilium }

// FactFields returns the fields of known facts, one for each; the file has them below syn.facts.
func FactFields() []Field {
	var fields []Field
	for _, f := range listKnownFacts() {
		when := f.when
		if when == nil {
			when = hasLieutenant
		}
		fields = append(fields, Field{
			Key: factsKey + "." + f.name, Title: f.title, Example: f.example, Offered: f.known,
			Screen: Syn, Effect: Adds, when: when, Help: f.help, Why: f.why, Source: f.source, value: bindFact(f.name),
		})
	}
	return fields
}

func bindFact(name string) binding {
	return binding{
		shape: Text,
		load:  func(s *state.Spec) string { return s.Syn.Facts[name] },
		store: func(s *state.Spec, value string) error {
			if faults := validateFact(name + "=" + value); faults != nil {
				return errors.New(faults[0].Message)
			}
			facts := maps.Clone(s.Syn.Facts)
			if facts == nil {
				facts = map[string]string{}
			}
			if facts[name] = value; value == "" {
				delete(facts, name)
			}
			s.Syn.Facts = facts
			return nil
		},
	}
}

func computeFacts(spec state.Spec) map[string]string {
	return map[string]string{"distribution": "openshift4", "cloud": "exoscale", "region": spec.Exoscale.Zone}
}

func checkContradictions(spec state.Spec) []Problem {
	var faults []Problem
	made := computeFacts(spec)
	for _, name := range slices.Sorted(maps.Keys(made)) {
		if said, given := spec.Syn.Facts[name]; given && made[name] != "" && said != made[name] {
			faults = append(faults, withField(factsKey+"."+name, newProblem(
				fmt.Sprintf("%s contradicts the other answers, from which this fact is made", quote(said)),
				made[name]+", or leave the fact out", ""))...)
		}
	}
	return faults
}

// checkUnusualFacts warns of probable typing mistakes: unknown names and values.
func checkUnusualFacts(spec state.Spec) []Problem {
	names := slices.Collect(maps.Keys(computeFacts(spec)))
	known := listKnownFacts()
	for _, f := range known {
		names = append(names, f.name)
	}
	slices.Sort(names)
	var faults []Problem
	for _, name := range slices.Sorted(maps.Keys(spec.Syn.Facts)) {
		at := slices.IndexFunc(known, func(f fact) bool { return f.name == name })
		switch alike := findNearest(name, names); {
		case at >= 0:
			faults = append(faults, withField(factsKey+"."+name, known[at].checkValue(spec.Syn.Facts[name]))...)
		case alike != "" && alike != name:
			faults = append(faults, withField(factsKey+"."+name, newProblem("nothing is known to depend on a fact of that name", "the name "+alike+", if that is meant", ""))...)
		}
	}
	return faults
}

func (f fact) checkValue(value string) []Problem {
	if f.form != "" && !regexp.MustCompile(f.form).MatchString(value) {
		return newProblem(quote(value)+" does not look like one", "e.g. "+f.example, "")
	}
	var names []string
	for _, choice := range f.known {
		names = append(names, choice.Value)
	}
	values := []string{value}
	if f.several {
		values = strings.Split(value, ",")
	}
	for _, one := range values {
		if len(names) > 0 && !slices.Contains(names, strings.TrimSpace(one)) {
			return newProblem(quote(one)+" is none of the usual values: the cluster's configuration has to know it", formatChoices(names), findNearest(one, names))
		}
	}
	return nil
}

func findFact(key string) (Field, bool) {
	name, is := strings.CutPrefix(key, factsKey+".")
	if !is || name == "" {
		return Field{}, false
	}
	if known, found := find(FactFields(), key); found {
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
func listVariableFields() []Field { return append(listAnswerable(), FactFields()...) }

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
