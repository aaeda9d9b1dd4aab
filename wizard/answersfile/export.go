package answersfile

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"

	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/listtext"

	"al.essio.dev/pkg/shellescape"
)

// Export writes a Spec as an answers file with every default spelled out, in the order of the format. Unless origins is
// nil, a comment on each line has the value's origin. Parse returns the same Spec again. There is no secret in it, as a
// Spec holds references only.
func Export(spec state.Spec, origins map[string]string) []byte {
	var out exporter
	for _, field := range wizard.Fields() {
		origin := origins[field.Key]
		if origins != nil && origin == "" && strings.Contains(field.Key, ".") && field.Get(spec) == field.Default() {
			origin = wizard.ByDefault
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

func (e *exporter) writeField(field wizard.Field, spec state.Spec, origin string) {
	sections := strings.Split(field.Key, ".")
	e.openSections(sections[:len(sections)-1])
	key, value := wizard.LastElement(field.Key)+":", field.Get(spec)
	switch {
	case field.Shape() == wizard.Table && value != "":
		e.writeLine(key + origin)
		e.writeEntries(value)
	case field.Shape() == wizard.Groups && value != "":
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
	items, _ := listtext.Split(value)
	for _, item := range items {
		key, text, _ := strings.Cut(item, "=")
		e.writeLine("  " + formatScalar(key) + ": " + formatScalar(text))
	}
}

func formatFlowGroup(i int, spec state.Spec) string {
	var entries []string
	for _, field := range wizard.GroupFields(i) {
		entries = append(entries, fmt.Sprintf("%s: %s", wizard.LastElement(field.Key), formatFlow(field.Shape(), field.Get(spec))))
	}
	return "{" + strings.Join(entries, ", ") + "}"
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
	for _, field := range wizard.ListFieldsOf(spec) {
		value := field.Get(spec)
		env, fromEnv := strings.CutPrefix(value, "env:")
		switch {
		case value == "" && field.IsRequired(spec) || slices.Contains(ask, field.Key) && field.IsRelevant(spec):
			needs = append(needs, newMissing(field))
		case fromEnv && field.Secret:
			if secret, _ := lookup(env); strings.TrimSpace(secret) == "" {
				needs = append(needs, newMissingSecret(field, env))
			}
		}
	}
	return needs
}

func newMissing(f wizard.Field) MissingAnswer {
	example := FormatSample(f)
	return MissingAnswer{
		Field: f.Key, Why: Describe(f), Flag: SetFlag + " " + f.Key + "=" + shellescape.Quote(example), Variable: f.Variable(),
		InFile: formatLine(f, example),
	}
}

func newMissingSecret(f wizard.Field, env string) MissingAnswer {
	const example = "file:PATH"
	return MissingAnswer{
		Field: f.Key, Why: Describe(f), Flag: SetFlag + " " + f.Key + "=" + example, Variable: env, InFile: formatLine(f, example),
		Secret: true,
	}
}
