package wizard

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"al.essio.dev/pkg/shellescape"

	"exoshift/state"
)

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
