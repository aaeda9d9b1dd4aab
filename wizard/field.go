package wizard

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"exoshift/state"
)

// Field is one thing an operator decides. The answers file, its schema and the questions all come from the list that
// Fields returns.
type Field struct {
	Key      string   // path in the answers file, e.g. "network.podCIDR"
	Title    string   // a few words
	Help     string   // a sentence or two
	Example  string   // a value as text
	Choices  []string // all that is allowed; empty for free values
	Required bool     // must not be empty; see RequiredBy
	Secret   bool     // refers to a secret
	Screen   Screen   // where it is asked; empty for what is never asked
	Advanced bool     // has a default that a newcomer keeps
	Why      string   // why it matters, a sentence or two
	Source   string   // where the value comes from, a sentence or two
	Effect   Effect   // of a change on a cluster that exists
	Offered  []Choice // values to choose from where others are allowed, too

	most    int // items of a list; 0: maxItems
	value   binding
	rule    rule
	typable func(rune) bool         // nil: what the shape allows
	suggest func(state.Spec) string // nil: nothing
	when    func(state.Spec) bool   // nil: always
	spared  func(state.Spec) bool   // when a required value may be empty all the same
}

// rule returns the faults of a value that is not empty.
type rule func(value string) []Fault

// Shape is the form of the field's value in YAML.
func (f Field) Shape() Shape { return f.value.shape }

// AskedOf tells whether the field means anything beside the other answers. One that does not is asked all the same
// once it has an answer, so that the answer can be seen and taken back.
func (f Field) AskedOf(spec state.Spec) bool {
	return f.when == nil || f.when(spec) || f.Get(spec) != f.Default()
}

// Default returns the value of a field that is not answered, as text.
func (f Field) Default() string {
	spec := state.Default()
	if whole, index, isGroup := strings.Cut(f.Key, "["); isGroup && whole == groupsKey {
		var i int
		if _, err := fmt.Sscanf(index, "%d]", &i); err == nil {
			spec.Sizing.ExtraGroups = slices.Repeat([]state.GroupSpec{newGroup()}, i+1)
		}
	}
	return f.Get(spec)
}

// Suggestion returns an answer that most people keep, for a field without a default, or "". It depends on the day or on
// other answers, so that nobody gets it without having seen it.
func (f Field) Suggestion(spec state.Spec) string {
	if f.suggest == nil {
		return ""
	}
	return f.suggest(spec)
}

// RequiredBy tells whether the value must not be empty, as the other answers are.
func (f Field) RequiredBy(spec state.Spec) bool {
	return f.Required && (f.spared == nil || !f.spared(spec))
}

// Get returns the field's value as text; see Shape for how lists are written.
func (f Field) Get(spec state.Spec) string { return f.value.load(&spec) }

// Set stores a value given as text, or leaves spec as it is and returns what is wrong with it. Rules across fields
// are not its business, see Check.
func (f Field) Set(spec *state.Spec, text string) error {
	if len(text) > maxSize {
		return Fault{Field: f.Key, Problem: fmt.Sprintf("the value has %d bytes", len(text)), Allowed: f.allowed()}
	}
	changed := *spec
	changed.Sizing.ExtraGroups = slices.Clone(spec.Sizing.ExtraGroups) // fields of groups are written in place
	if err := f.value.store(&changed, strings.TrimSpace(text)); err != nil {
		return Fault{Field: f.Key, Problem: err.Error(), Allowed: f.allowed()}
	}
	if faults := f.check(changed); len(faults) > 0 {
		return joined(faults)
	}
	*spec = changed
	return nil
}

func joined(faults []Fault) error {
	errs := make([]error, len(faults))
	for i, f := range faults {
		errs[i] = f
	}
	return errors.Join(errs...)
}

// check returns the faults of the field's own value, and of the values inside of it.
func (f Field) check(spec state.Spec) []Fault {
	value := f.Get(spec)
	switch {
	case value == "" && f.RequiredBy(spec):
		return of(f.Key, wrong("is missing", f.allowed(), ""))
	case value == "":
		return nil
	case !utf8.ValidString(value):
		return of(f.Key, wrong("is not text in UTF-8", f.allowed(), ""))
	case len(f.Choices) > 0 && !slices.Contains(f.Choices, value):
		return of(f.Key, wrong(quote(value)+" is not known", oneOf(f.Choices), nearest(value, f.Choices)))
	case f.value.shape == List || f.value.shape == Table || f.value.shape == Groups:
		return f.checkItems(value)
	case f.rule == nil:
		return nil
	}
	return of(f.Key, f.rule(value))
}

// maxItems is how many items a list has at most: more is nobody's answer, and takes too long to compare with each other.
const maxItems = 256

func tooMany(n, most int) []Fault {
	return wrong(fmt.Sprintf("has %d items", n), fmt.Sprintf("at most %d", most), "")
}

// mostItems is how many items the field's list has at most.
func (f Field) mostItems() int { return cmp.Or(f.most, maxItems) }

func (f Field) checkItems(value string) []Fault {
	items, err := splitItems(value)
	if err != nil {
		return of(f.Key, wrong(err.Error(), f.allowed(), ""))
	}
	if n, most := len(items), f.mostItems(); n > most {
		return of(f.Key, tooMany(n, most))
	}
	if f.rule == nil {
		return nil
	}
	var faults []Fault
	for i, item := range items {
		faults = append(faults, of(f.itemKey(i, item), f.rule(item))...)
	}
	return faults
}

// allowed says what would be right, in so many words as fit.
func (f Field) allowed() string {
	switch {
	case len(f.Choices) > 0:
		return oneOf(f.Choices)
	case f.Secret && accountAllowed(f):
		return keyPlace
	case f.Secret:
		return onePlace
	case f.value.shape == List:
		return "e.g. [" + f.Example + "]"
	case f.value.shape == Table:
		return "e.g. {" + strings.ReplaceAll(f.Example, "=", ": ") + "}"
	case f.value.shape == Groups:
		return "e.g. [{" + strings.NewReplacer("=", ": ", " ", ", ").Replace(f.Example) + "}]"
	case f.Example != "":
		return "e.g. " + f.Example
	}
	return ""
}

// find returns the field of that key.
func find(fields []Field, key string) (Field, bool) {
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Key == key })
	if i < 0 {
		return Field{}, false
	}
	return fields[i], true
}

// keysOf returns the keys that are allowed right below a path, in the order of the fields.
func keysOf(fields []Field, path string) []string {
	var keys []string
	for _, f := range fields {
		rest, below := strings.CutPrefix(f.Key, prefix(path))
		if key, _, _ := strings.Cut(rest, "."); below && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

func prefix(path string) string {
	if path == "" {
		return ""
	}
	return path + "."
}

// parent returns the path of what holds the value at path, "" for the document.
func parent(path string) string {
	return path[:max(strings.LastIndexAny(path, ".["), 0)]
}
