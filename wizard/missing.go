package wizard

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"al.essio.dev/pkg/shellescape"

	"exoshift/state"
)

// Need is an answer that is missing: what it is, and every place where it can be given.
type Need struct {
	Field    string // key
	Why      string // what it is for
	Flag     string // e.g. "--set cluster.id=c-demo-1"
	Variable string // environment variable that gives the answer; the secret itself, if Secret
	InFile   string // the line of an answers file, e.g. "cluster: {id: c-demo-1}"
	Secret   bool   // the answer refers to Variable, which is not set
}

// Missing returns what a run without any answers still has to be told.
func Missing() []Need { return Needs(state.Default(), nil, os.LookupEnv) }

// Needs returns what a headless run with these answers still has to be told: required fields without a value,
// secrets whose environment variable is not set, and what is asked whatever the answers say.
func Needs(spec state.Spec, ask []string, lookup func(env string) (string, bool)) []Need {
	var needs []Need
	for _, field := range fieldsOf(spec) {
		value := field.Get(spec)
		env, fromEnv := strings.CutPrefix(value, "env:")
		switch {
		case value == "" && field.RequiredBy(spec) || slices.Contains(ask, field.Key) && field.AskedOf(spec):
			needs = append(needs, field.need())
		case fromEnv && field.Secret:
			if secret, _ := lookup(env); strings.TrimSpace(secret) == "" {
				needs = append(needs, field.unset(env))
			}
		}
	}
	return needs
}

func (f Field) need() Need {
	example := f.Sample()
	return Need{
		Field: f.Key, Why: f.why(), Flag: SetFlag + " " + f.Key + "=" + shellescape.Quote(example), Variable: f.Variable(),
		InFile: f.inFile(example),
	}
}

// unset is the need of a secret whose variable is not set.
func (f Field) unset(env string) Need {
	const example = "file:PATH"
	return Need{
		Field: f.Key, Why: f.why(), Flag: SetFlag + " " + f.Key + "=" + example, Variable: env, InFile: f.inFile(example),
		Secret: true,
	}
}

// Sample is a value as text that shows the form of the field's values.
func (f Field) Sample() string {
	switch {
	case f.Example != "":
		return f.Example
	case len(f.Choices) > 0:
		return f.Choices[0]
	}
	return "…"
}

// inFile writes a value as a line of an answers file.
func (f Field) inFile(value string) string {
	sections := strings.Split(f.Key, ".")
	text := f.inline(value)
	for _, section := range slices.Backward(sections[1:]) {
		text = fmt.Sprintf("{%s: %s}", section, text)
	}
	return sections[0] + ": " + text
}

// inline writes a value given as text as YAML of one line.
func (f Field) inline(value string) string {
	if value == "" {
		return flow(f.Shape(), value)
	}
	switch f.Shape() {
	case Table:
		items, _ := splitItems(value)
		for i, item := range items {
			key, text, _ := strings.Cut(item, "=")
			items[i] = scalarText(key) + ": " + scalarText(text)
		}
		return "{" + strings.Join(items, ", ") + "}"
	case Groups:
		return "[{" + strings.NewReplacer("=", ": ", " ", ", ").Replace(value) + "}]"
	case Text, Number, Switch, List, Reference:
	}
	return flow(f.Shape(), value)
}

func (f Field) why() string {
	if f.Help == "" {
		return f.Title
	}
	return f.Title + ". " + f.Help
}
