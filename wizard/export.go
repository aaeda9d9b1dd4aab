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
// nil, a comment on each line has the value's origin. Parse returns the same Spec again. There is no secret in it, as a
// Spec holds references only.
func Export(spec state.Spec, origins map[string]string) []byte {
	var out exporter
	for _, field := range Fields() {
		origin := origins[field.Key]
		if origins != nil && origin == "" && strings.Contains(field.Key, ".") && field.Get(spec) == field.Default() {
			origin = ByDefault
		}
		out.writeField(field, spec, formatComment(origin))
	}
	return []byte(out.String())
}

func formatComment(origin string) string {
	words := strings.FieldsFunc(origin, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	if len(words) == 0 {
		return ""
	}
	return " # " + strings.Join(words, " ")
}

// exporter writes an answers file. It quotes strings itself, as the YAML library writes some of them so that they parse
// as another type.
type exporter struct {
	strings.Builder
	open []string // the sections of the previous line
}

func (e *exporter) writeField(field Field, spec state.Spec, origin string) {
	sections := strings.Split(field.Key, ".")
	e.openSections(sections[:len(sections)-1])
	key, value := lastElement(field.Key)+":", field.Get(spec)
	switch {
	case field.Shape() == Table && value != "":
		e.writeLine(key + origin)
		e.writeEntries(value)
	case field.Shape() == Groups && value != "":
		e.writeLine(key + origin)
		for i := range spec.Sizing.ExtraGroups {
			e.writeLine("  - " + formatFlowGroup(i, spec))
		}
	default:
		e.writeLine(key + " " + formatFlow(field.Shape(), value) + origin)
	}
}

func (e *exporter) openSections(sections []string) {
	common := 0
	for common < min(len(sections), len(e.open)) && sections[common] == e.open[common] {
		common++
	}
	for i := common; i < len(sections); i++ {
		e.open = sections[:i]
		e.writeLine(sections[i] + ":")
	}
	e.open = slices.Clone(sections)
}

func (e *exporter) writeLine(text string) {
	e.WriteString(strings.Repeat("  ", len(e.open)) + text + "\n")
}

func (e *exporter) writeEntries(value string) {
	items, _ := splitItems(value)
	for _, item := range items {
		key, text, _ := strings.Cut(item, "=")
		e.writeLine("  " + formatScalar(key) + ": " + formatScalar(text))
	}
}

func formatFlow(shape Shape, value string) string {
	switch shape {
	case Number, Switch:
		return value
	case List:
		items, _ := splitItems(value)
		for i := range items {
			items[i] = formatScalar(items[i])
		}
		return "[" + strings.Join(items, ", ") + "]"
	case Reference:
		if kind, name, ok := strings.Cut(value, ":"); ok {
			return "{" + kind + ": " + formatScalar(name) + "}"
		}
		return "{}"
	case Table: // a non-empty one has lines of its own
		return "{}"
	case Groups:
		return "[]"
	case Text:
	}
	return formatScalar(value)
}

func formatFlowGroup(i int, spec state.Spec) string {
	var entries []string
	for _, field := range GroupFields(i) {
		entries = append(entries, fmt.Sprintf("%s: %s", lastElement(field.Key), formatFlow(field.Shape(), field.Get(spec))))
	}
	return "{" + strings.Join(entries, ", ") + "}"
}

// formatScalar quotes a string unless it is certainly plain.
func formatScalar(text string) string {
	address := regexp.MustCompile(`^\d+(\.\d+){2,3}(/\d+)?$`)
	word := regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._/@+-]*( [A-Za-z0-9._/@+-]+)*$`)
	reserved := []string{"null", "true", "false", "yes", "no", "on", "off", "y", "n"}
	if address.MatchString(text) || word.MatchString(text) && !slices.Contains(reserved, strings.ToLower(text)) {
		return text
	}
	return strconv.Quote(text)
}
