package wizard

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"exoshift/state"
)

// Export writes a Spec as an answers file with every default spelled out, in the order of the format. Unless origins is
// nil, a comment on each line says where the value came from. Parse returns the same Spec again. There is no secret in
// it, as a Spec holds references only.
func Export(spec state.Spec, origins map[string]string) []byte {
	var out export
	for _, field := range Fields() {
		origin := origins[field.Key]
		if origins != nil && origin == "" && strings.Contains(field.Key, ".") && field.Get(spec) == field.Default() {
			origin = ByDefault
		}
		out.field(field, spec, comment(origin))
	}
	return []byte(out.String())
}

// comment makes a comment of an origin, whatever is in it.
func comment(origin string) string {
	words := strings.FieldsFunc(origin, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	if len(words) == 0 {
		return ""
	}
	return " # " + strings.Join(words, " ")
}

// export is an answers file while it is written. The strings are quoted here, as the YAML library writes some of
// them so that they are read as something else.
type export struct {
	strings.Builder
	open []string // the sections that the last line was in
}

func (e *export) field(field Field, spec state.Spec, origin string) {
	sections := strings.Split(field.Key, ".")
	e.enter(sections[:len(sections)-1])
	key, value := lastKey(field.Key)+":", field.Get(spec)
	switch {
	case field.Shape() == Table && value != "":
		e.line(key + origin)
		e.entries(value)
	case field.Shape() == Groups && value != "":
		e.line(key + origin)
		for i := range spec.Sizing.ExtraGroups {
			e.line("  - " + flowGroup(i, spec))
		}
	default:
		e.line(key + " " + flow(field.Shape(), value) + origin)
	}
}

// enter opens the sections that are not open yet.
func (e *export) enter(sections []string) {
	common := 0
	for common < min(len(sections), len(e.open)) && sections[common] == e.open[common] {
		common++
	}
	for i := common; i < len(sections); i++ {
		e.open = sections[:i]
		e.line(sections[i] + ":")
	}
	e.open = slices.Clone(sections)
}

func (e *export) line(text string) {
	e.WriteString(strings.Repeat("  ", len(e.open)) + text + "\n")
}

func (e *export) entries(value string) {
	items, _ := splitItems(value)
	for _, item := range items {
		key, text, _ := strings.Cut(item, "=")
		e.line("  " + scalarText(key) + ": " + scalarText(text))
	}
}

// flow writes a value of one line.
func flow(shape Shape, value string) string {
	switch shape {
	case Number, Switch:
		return value
	case List:
		items, _ := splitItems(value)
		for i := range items {
			items[i] = scalarText(items[i])
		}
		return "[" + strings.Join(items, ", ") + "]"
	case Reference:
		if kind, name, ok := strings.Cut(value, ":"); ok {
			return "{" + kind + ": " + scalarText(name) + "}"
		}
		return "{}"
	case Table: // other than an empty one it has lines of its own
		return "{}"
	case Groups:
		return "[]"
	case Text:
	}
	return scalarText(value)
}

func flowGroup(i int, spec state.Spec) string {
	var entries []string
	for _, field := range groupFields(i) {
		entries = append(entries, fmt.Sprintf("%s: %s", lastKey(field.Key), flow(field.Shape(), field.Get(spec))))
	}
	return "{" + strings.Join(entries, ", ") + "}"
}

// scalarText writes a string so that it is read as one: in double quotes, unless it is plain beyond doubt.
func scalarText(text string) string {
	address := regexp.MustCompile(`^\d+(\.\d+){2,3}(/\d+)?$`)
	word := regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._/@+-]*( [A-Za-z0-9._/@+-]+)*$`)
	reserved := []string{"null", "true", "false", "yes", "no", "on", "off", "y", "n"}
	if address.MatchString(text) || word.MatchString(text) && !slices.Contains(reserved, strings.ToLower(text)) {
		return text
	}
	return strconv.Quote(text)
}
