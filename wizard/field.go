package wizard

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"exoshift/internal/text/similar"
	"exoshift/state"
	"exoshift/wizard/listtext"
	"exoshift/wizard/recognize"
)

// Field is one answer of the operator. The answers file, its schema and the questions are all made from Fields.
type Field struct {
	Key      string   // path in the answers file, e.g. "network.podCIDR"
	Title    string   // a few words
	Help     string   // a sentence or two
	Example  string   // a value as text
	Choices  []string // all allowed values; empty for free values
	Required bool     // must not be empty; see RequiredBy
	Secret   bool     // refers to a secret
	Screen   Screen   // where it is asked; empty: never
	Advanced bool     // has a default that suits most clusters
	Why      string   // why it matters, a sentence or two
	Source   string   // where the value comes from, a sentence or two
	Effect   Effect   // of a change on a cluster that exists
	Offered  []Choice // suggested values where others are allowed, too

	most         int // items of a list; 0: maxItems
	value        binding
	rule         rule
	typable      func(rune) bool         // nil: what the shape allows
	suggest      func(state.Spec) string // nil: nothing
	when         func(state.Spec) bool   // nil: always
	optionalWhen func(state.Spec) bool   // when a required value may be empty
}

// A rule checks a value that is not empty.
type rule func(value string) []Problem

// Shape returns the form of the field's value in YAML.
func (f Field) Shape() Shape { return f.value.shape }

// IsRelevant reports whether the field has a meaning with the other answers. An irrelevant one is asked nevertheless once
// it has an answer, so that the answer is visible and can be removed.
func (f Field) IsRelevant(spec state.Spec) bool {
	return f.when == nil || f.when(spec) || f.Get(spec) != f.Default()
}

// Default returns the value of a field that is not answered, as text.
func (f Field) Default() string {
	spec := state.Default()
	if whole, index, isGroup := strings.Cut(f.Key, "["); isGroup && whole == GroupsKey {
		var i int
		if _, err := fmt.Sscanf(index, "%d]", &i); err == nil {
			spec.Sizing.ExtraGroups = slices.Repeat([]state.GroupSpec{NewGroup()}, i+1)
		}
	}
	return f.Get(spec)
}

// Suggestion returns an answer that suits most clusters, for a field without a default, or "". It depends on the date or
// on other answers, so it is shown before it is used.
func (f Field) Suggestion(spec state.Spec) string {
	if f.suggest == nil {
		return ""
	}
	return f.suggest(spec)
}

// IsRequired reports whether the value must not be empty, given the other answers.
func (f Field) IsRequired(spec state.Spec) bool {
	return f.Required && (f.optionalWhen == nil || !f.optionalWhen(spec))
}

// Get returns the field's value as text; see Shape for how lists are written.
func (f Field) Get(spec state.Spec) string { return f.value.load(&spec) }

// Set stores a value given as text, or leaves spec as it is and returns what is wrong with it. It does not check rules
// across fields, see Check.
func (f Field) Set(spec *state.Spec, text string) error {
	if len(text) > MaxSize {
		return Problem{Field: f.Key, Message: fmt.Sprintf("the value is %d bytes long", len(text)), Allowed: f.FormatAllowed()}
	}
	changed := *spec
	changed.Sizing.ExtraGroups = slices.Clone(spec.Sizing.ExtraGroups) // fields of groups are stored in place
	if err := f.value.store(&changed, strings.TrimSpace(text)); err != nil {
		meant := ""
		if f.value.shape == Number {
			meant = recognize.Number(text, func(number string) bool { return f.rule == nil || f.rule(number) == nil })
		}
		return Problem{Field: f.Key, Message: err.Error(), Allowed: f.FormatAllowed(), Suggestion: meant}
	}
	if faults := f.Check(changed); len(faults) > 0 {
		return joinProblems(faults)
	}
	*spec = changed
	return nil
}

// Store stores a value given as text without checking it.
func (f Field) Store(spec *state.Spec, text string) error { return f.value.store(spec, text) }

func joinProblems(faults []Problem) error {
	errs := make([]error, len(faults))
	for i, f := range faults {
		errs[i] = f
	}
	return errors.Join(errs...)
}

// Check returns the problems of the field's own value. No answer may hold a secret, from which nothing is suggested either.
func (f Field) Check(spec state.Spec) []Problem {
	faults := f.checkValue(spec)
	what := recognize.Secret(f.Get(spec))
	if what != "" && len(faults) == 0 {
		return []Problem{NewSecretProblem(f, what)}
	}
	for i := range faults {
		if what != "" {
			faults[i].Suggestion = ""
		}
	}
	return faults
}

// NewSecretProblem returns the problem of an answer that is a secret, which it does not repeat.
func NewSecretProblem(f Field, what string) Problem {
	return Problem{Field: f.Key, Message: "this looks like " + what + " itself, and answers are kept in the open", Allowed: f.FormatAllowed()}
}

func (f Field) checkValue(spec state.Spec) []Problem {
	value := f.Get(spec)
	switch {
	case value == "" && f.IsRequired(spec):
		return WithField(f.Key, NewProblem("is missing", f.FormatAllowed(), ""))
	case value == "":
		return nil
	case !utf8.ValidString(value):
		return WithField(f.Key, NewProblem("is not valid UTF-8", f.FormatAllowed(), ""))
	case len(f.Choices) > 0 && !slices.Contains(f.Choices, value):
		return WithField(f.Key, NewProblem(Quote(value)+" is not known", FormatChoices(f.Choices), similar.FindNearest(value, f.Choices)))
	case f.value.shape == List || f.value.shape == Table || f.value.shape == Groups:
		return f.checkItems(value)
	case f.rule == nil:
		return nil
	}
	return WithField(f.Key, f.rule(value))
}

// More items take too long to compare with each other.
const maxItems = 256

func newTooManyProblem(n, most int) []Problem {
	return NewProblem(fmt.Sprintf("has %d items", n), fmt.Sprintf("at most %d", most), "")
}

// CheckCount returns a problem if a list has too many items.
func (f Field) CheckCount(n int) []Problem {
	if most := cmp.Or(f.most, maxItems); n > most {
		return WithField(f.Key, newTooManyProblem(n, most))
	}
	return nil
}

func (f Field) checkItems(value string) []Problem {
	items, err := listtext.Split(value)
	if err != nil {
		return WithField(f.Key, NewProblem(err.Error(), f.FormatAllowed(), ""))
	}
	if faults := f.CheckCount(len(items)); faults != nil {
		return faults
	}
	if f.rule == nil {
		return nil
	}
	var faults []Problem
	for i, item := range items {
		faults = append(faults, WithField(f.ItemKey(i, item), f.rule(item))...)
	}
	return faults
}

// FormatAllowed describes the allowed values for a problem, by an example where there are many.
func (f Field) FormatAllowed() string {
	switch {
	case len(f.Choices) > 0:
		return FormatChoices(f.Choices)
	case f.Secret && f.AcceptsAccount():
		return keyPlace
	case f.Secret:
		return ReferenceForm
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

// Find returns the field of a key among others.
func Find(fields []Field, key string) (Field, bool) {
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Key == key })
	if i < 0 {
		return Field{}, false
	}
	return fields[i], true
}

// ToPrefix returns what the paths below a section begin with.
func ToPrefix(path string) string {
	if path == "" {
		return ""
	}
	return path + "."
}

// ParentOf returns the path of the section or list that a path is in; "" at the top.
func ParentOf(path string) string {
	return path[:max(strings.LastIndexAny(path, ".["), 0)]
}

// IsAlwaysRequired reports whether there are no answers with which the field may be empty.
func (f Field) IsAlwaysRequired() bool { return f.Required && f.optionalWhen == nil }

// AcceptsAccount reports whether a secret may be that of an account of the program exo.
func (f Field) AcceptsAccount() bool { return f.rule != nil && f.rule("exo:account") == nil }

// JSON returns a value of the field as it is written in JSON.
func (f Field) JSON(value string) any {
	switch f.Shape() {
	case Number, Switch:
		return json.RawMessage(value)
	case List:
		items, _ := listtext.Split(value)
		return items
	case Table:
		entries, _ := splitTable(value)
		return entries
	case Reference:
		kind, name, _ := strings.Cut(value, ":")
		return map[string]string{kind: name}
	case Text, Groups:
	}
	return value
}

// Bounds returns the least and the greatest number that the field's own rule allows around its default.
func (f Field) Bounds() (least, most int) {
	if _, err := fmt.Sscan(f.Default(), &least); err != nil {
		return 0, 0
	}
	most = least
	allowed := func(n int) bool { return f.rule == nil || f.rule(fmt.Sprint(n)) == nil }
	for least > 0 && allowed(least-1) {
		least--
	}
	for step := 1 << 20; step > 0; step /= 2 {
		if allowed(most + step) {
			most += step
		}
	}
	return least, most
}

// AllowsNone reports whether 0 is allowed below the bounds.
func (f Field) AllowsNone() bool {
	least, _ := f.Bounds()
	return f.Shape() == Number && least > 0 && f.rule != nil && f.rule("0") == nil
}

// DescribeAllowed describes the allowed values, or returns "" if the example suffices.
func (f Field) DescribeAllowed() string {
	switch {
	case len(f.Choices) > 0 || f.Secret:
		return f.FormatAllowed()
	case f.Shape() == Switch:
		return string(Switch)
	case f.Shape() != Number:
		return ""
	}
	switch least, most := f.Bounds(); {
	case f.AllowsNone():
		return fmt.Sprintf("0, or %d to %d", least, most)
	case least != most:
		return fmt.Sprintf("%d to %d", least, most)
	}
	return "exactly " + f.Default()
}

// IsTypable reports whether a character can be part of the field's value, as it is typed. Control characters never can.
// Set checks the whole value.
func (f Field) IsTypable(r rune) bool {
	switch {
	case !unicode.IsPrint(r):
		return false
	case f.typable != nil:
		return f.typable(r)
	case f.value.shape == Number:
		return isDigit(r)
	case f.value.shape == Switch:
		return strings.ContainsRune("truefalse", r)
	case len(f.Choices) > 0:
		return strings.ContainsRune(strings.Join(f.Choices, ""), r)
	}
	return true
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isLabelRune(r rune) bool { return 'a' <= r && r <= 'z' || isDigit(r) || r == '-' }

func isDomainRune(r rune) bool { return isLabelRune(r) || r == '.' }

func isVersionRune(r rune) bool { return isDomainRune(r) }

func isRangeRune(r rune) bool { return isDigit(r) || r == '.' || r == '/' }

func isRangesRune(r rune) bool {
	return isRangeRune(r) || strings.ContainsRune(":, abcdefABCDEF", r)
}

func isNoProxyRune(r rune) bool { return isDomainRune(r) || strings.ContainsRune("/,:*", r) }

func isAddressRune(r rune) bool { return r < unicode.MaxASCII && r != ' ' }

// ItemKey returns the path of an item of a list or table.
func (f Field) ItemKey(i int, item string) string {
	if f.value.shape == Table {
		key, _, _ := strings.Cut(item, "=")
		return ToPrefix(f.Key) + FormatPath(key)
	}
	return fmt.Sprintf("%s[%d]", f.Key, i)
}

// VariablePrefix is what the names of all environment variables of answers begin with.
const VariablePrefix = "EXOSHIFT_"

// Variable returns the environment variable of the answer, e.g. EXOSHIFT_NETWORK_PODCIDR; "": none, as the name of an
// unknown fact is case-sensitive.
func (f Field) Variable() string {
	if _, known := Find(FactFields(), f.Key); !known && strings.HasPrefix(f.Key, ToPrefix(FactsKey)) {
		return ""
	}
	return VariablePrefix + strings.ToUpper(strings.ReplaceAll(f.Key, ".", "_"))
}

// MaxSize is the limit of an answers file, in bytes; real ones have a few thousand.
const MaxSize = 64 << 10

// FormatPath returns a path as it is shown in problems: one that is very long or not printable is not repeated.
func FormatPath(path string) string {
	if len(path) <= MaxShown*2 && !strings.ContainsFunc(path, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return path
	}
	return "a key"
}

// SuggestText returns a text as it has to be written in a file, where something else was: quoted, or if the field refuses that, in the
// field's own form.
func (f Field) SuggestText(text string) string {
	if f.rule == nil {
		return strconv.Quote(text)
	}
	if faults := f.rule(text); len(faults) > 0 {
		return faults[0].Suggestion
	}
	return strconv.Quote(text)
}
