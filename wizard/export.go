package wizard

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"exoshift/state"

	"al.essio.dev/pkg/shellescape"
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

// MissingAnswer is a missing answer with all the ways to give it.
type MissingAnswer struct {
	Field    string // key
	Why      string // what it is for
	Flag     string // e.g. "--set cluster.id=c-demo-1"
	Variable string // environment variable that gives the answer; the secret itself, if Secret
	InFile   string // the line of an answers file, e.g. "cluster: {id: c-demo-1}"
	Secret   bool   // the answer refers to Variable, which is not set
}

// ListMissing returns the required answers of a run without any.
func ListMissing() []MissingAnswer { return FindMissing(state.Default(), nil, os.LookupEnv) }

// FindMissing returns the answers that a headless run still needs: required fields without a value, secrets whose
// environment variable is not set, and the keys in ask.
func FindMissing(spec state.Spec, ask []string, lookup func(env string) (string, bool)) []MissingAnswer {
	var needs []MissingAnswer
	for _, field := range listFieldsOf(spec) {
		value := field.Get(spec)
		env, fromEnv := strings.CutPrefix(value, "env:")
		switch {
		case value == "" && field.IsRequired(spec) || slices.Contains(ask, field.Key) && field.IsRelevant(spec):
			needs = append(needs, field.need())
		case fromEnv && field.Secret:
			if secret, _ := lookup(env); strings.TrimSpace(secret) == "" {
				needs = append(needs, field.newMissingSecret(env))
			}
		}
	}
	return needs
}

func (f Field) need() MissingAnswer {
	example := f.FormatSample()
	return MissingAnswer{
		Field: f.Key, Why: f.Describe(), Flag: SetFlag + " " + f.Key + "=" + shellescape.Quote(example), Variable: f.Variable(),
		InFile: f.formatLine(example),
	}
}

func (f Field) newMissingSecret(env string) MissingAnswer {
	const example = "file:PATH"
	return MissingAnswer{
		Field: f.Key, Why: f.Describe(), Flag: SetFlag + " " + f.Key + "=" + example, Variable: env, InFile: f.formatLine(example),
		Secret: true,
	}
}

// FormatSample returns a sample value as text in the form of the field's values.
func (f Field) FormatSample() string {
	switch {
	case f.Example != "":
		return f.Example
	case len(f.Choices) > 0:
		return f.Choices[0]
	}
	return "…"
}

func (f Field) formatLine(value string) string {
	sections := strings.Split(f.Key, ".")
	text := f.FormatInline(value)
	for _, section := range slices.Backward(sections[1:]) {
		text = fmt.Sprintf("{%s: %s}", section, text)
	}
	return sections[0] + ": " + text
}

// FormatInline returns a value as YAML on one line.
func (f Field) FormatInline(value string) string {
	if value == "" {
		return formatFlow(f.Shape(), value)
	}
	switch f.Shape() {
	case Table:
		items, _ := splitItems(value)
		for i, item := range items {
			key, text, _ := strings.Cut(item, "=")
			items[i] = formatScalar(key) + ": " + formatScalar(text)
		}
		return "{" + strings.Join(items, ", ") + "}"
	case Groups:
		return "[{" + strings.NewReplacer("=", ": ", " ", ", ").Replace(value) + "}]"
	case Text, Number, Switch, List, Reference:
	}
	return formatFlow(f.Shape(), value)
}

// Describe returns the title and the help.
func (f Field) Describe() string {
	if f.Help == "" {
		return f.Title
	}
	return f.Title + ". " + f.Help
}
