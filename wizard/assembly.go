package wizard

import (
	"cmp"
	"slices"
	"strings"
)

// Assembly is the answers that layers make together, with everything that is wrong with them.
type Assembly struct {
	Answers *Answers
	Ask     []string // keys that are asked all the same; what they miss is no fault

	keys    []string // of all fields
	given   map[string]Given
	file    *document // the answers file, if there is one
	sources []string  // in the order of the layers
	unread  []string  // fields that some layer's answer could not be read of
	wrong   bool      // some layer has a fault of its own
	faults  []Fault
}

// Assemble puts the answers that were given into the defaults and checks them. given says by key which layer's answer
// counts; the layers are named from the lowest to the highest, so that the faults of all of them are told.
func Assemble(given map[string]Given, layers ...Layer) *Assembly {
	a := &Assembly{Answers: NewAnswers(), given: singleFacts(layers), keys: keys()}
	for _, key := range a.keys {
		if one, is := given[key]; is {
			a.given[key] = one
		}
	}
	broken := false
	for _, layer := range layers {
		a.faults = append(a.faults, layer.faults...)
		a.unread = append(a.unread, layer.unread...)
		a.Ask = append(a.Ask, layer.Ask...)
		if a.sources = append(a.sources, layer.source); layer.file != nil {
			broken = broken || layer.file.broken
			if !layer.file.usual {
				a.file = layer.file
			}
		}
	}
	a.wrong = len(a.faults) > 0
	a.Ask = slices.DeleteFunc(a.Ask, a.answered)
	a.fill()
	if !broken {
		a.check()
	}
	return a
}

// check adds what is wrong with the answers together: what is wrong with each by itself, its layer has told of.
func (a *Assembly) check() {
	type saying struct{ field, problem string }
	told := map[saying]bool{}
	for _, f := range a.faults {
		told[saying{f.Field, f.Problem}] = true
	}
	var fresh []Fault
	for _, f := range Check(a.Answers.Spec) {
		if !told[saying{f.Field, f.Problem}] && !within(a.unread, f.Field) && !a.asks(f.Field) {
			fresh = append(fresh, f)
		}
	}
	a.faults = append(a.faults, a.Placed(fresh)...)
}

// answered tells whether an answer was given for this run alone, so that nobody needs to ask.
func (a *Assembly) answered(key string) bool {
	given, ok := a.given[key]
	return ok && given.file == nil
}

// fill stores what was given. What cannot be stored, its layer has told of.
func (a *Assembly) fill() {
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

// fresh returns faults that know their field only with their places, without those of fields, or of what they are part
// of, that are known to be wrong or are asked.
func (a *Assembly) fresh(faults []Fault) []Fault {
	return a.Placed(slices.DeleteFunc(faults, func(f Fault) bool { return known(a.faults, f.Field) || a.asks(f.Field) }))
}

func (a *Assembly) asks(field string) bool { return slices.Contains(a.Ask, a.keyOf(field)) }

// Resolve returns the secrets that the answers refer to, and adds what is wrong with them and with the other files
// that the answers name.
func (a *Assembly) Resolve(lookup func(env string) (string, bool)) Secrets {
	secrets, faults := a.LookUp(lookup)
	a.faults = append(a.faults, faults...)
	return secrets
}

// LookUp is Resolve for somebody else's answers: what is not on this machine is returned and not added.
func (a *Assembly) LookUp(lookup func(env string) (string, bool)) (Secrets, []Fault) {
	if a.file != nil && a.file.broken {
		return Secrets{}, nil
	}
	secrets, faults := ResolveSecrets(a.Answers.Spec, lookup)
	return secrets, a.fresh(append(faults, CheckPaths(a.Answers.Spec)...))
}

// keyOf returns the field that a path is in, or the path itself.
func (a *Assembly) keyOf(path string) string {
	for whole := path; whole != ""; whole = parent(whole) {
		if _, single := a.given[whole]; single || slices.Contains(a.keys, whole) {
			return whole
		}
	}
	return path
}

// Placed returns faults that know their field only with the places of the answers that they are about, in
// the order of Faults.
func (a *Assembly) Placed(faults []Fault) []Fault {
	placed := slices.Clone(faults)
	for i, f := range placed {
		given, ok := a.given[a.keyOf(f.Field)]
		switch {
		case ok && given.file == nil:
			placed[i].File = given.Source
		case ok:
			placed[i] = given.file.placed(f, given.file.place(f.Field))
		case a.file != nil:
			placed[i] = a.file.placed(f, a.file.place(f.Field))
		}
	}
	return a.sorted(placed)
}

// OnlyMissing tells whether nothing is wrong but that these answers are missing.
func (a *Assembly) OnlyMissing(needs []Need) bool {
	return !a.wrong && !slices.ContainsFunc(a.faults, func(f Fault) bool {
		return !slices.ContainsFunc(needs, func(need Need) bool { return need.Field == f.Field })
	})
}

// Faults returns all faults: those of a layer together, in the order of its file.
func (a *Assembly) Faults() []Fault {
	return a.sorted(slices.Clone(a.faults))
}

func (a *Assembly) sorted(faults []Fault) []Fault {
	slices.SortStableFunc(faults, func(x, y Fault) int {
		return cmp.Or(cmp.Compare(a.rank(x.File), a.rank(y.File)), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
	})
	return faults
}

// rank orders the sources as their layers; what was given nowhere comes last.
func (a *Assembly) rank(source string) int {
	switch at := slices.Index(a.sources, source); {
	case source == "":
		return len(a.sources) + 1
	case at < 0: // one of the environment's variables
		return len(a.sources)
	default:
		return at
	}
}

// judge adds the faults of the values that a file gives, each by itself: whether something is missing, all answers
// together decide.
func (d *document) judge() {
	var fresh []Fault
	for _, field := range fieldsOf(d.spec) {
		_, given := d.places[field.Key]
		inGroup := strings.Contains(field.Key, "]")
		if inGroup || given && field.Get(d.spec) != "" {
			fresh = append(fresh, field.check(d.spec)...)
		}
	}
	for _, f := range slices.DeleteFunc(fresh, func(f Fault) bool { return known(d.faults, f.Field) }) {
		d.report(d.place(f.Field), f)
	}
}

// known tells whether there is a fault of the field, or of what holds it.
func known(faults []Fault, field string) bool {
	var fields []string
	for _, f := range faults {
		fields = append(fields, f.Field)
	}
	return within(fields, field)
}

// within tells whether a field, or what holds it, is one of those.
func within(fields []string, field string) bool {
	for ; field != ""; field = parent(field) {
		if slices.Contains(fields, field) {
			return true
		}
	}
	return false
}
