package answersfile

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"exoshift/wizard"
	"exoshift/wizard/listtext"
)

// formatFlow returns a value in the flow style of YAML.
func formatFlow(shape wizard.Shape, value string) string {
	switch shape {
	case wizard.Number, wizard.Switch:
		return value
	case wizard.List:
		items, _ := listtext.Split(value)
		for i := range items {
			items[i] = formatScalar(items[i])
		}
		return "[" + strings.Join(items, ", ") + "]"
	case wizard.Reference:
		if kind, name, ok := strings.Cut(value, ":"); ok {
			return "{" + kind + ": " + formatScalar(name) + "}"
		}
		return "{}"
	case wizard.Table: // a non-empty one has lines of its own
		return "{}"
	case wizard.Groups:
		return "[]"
	case wizard.Text:
	}
	return formatScalar(value)
}

// Strings that no YAML parser takes for anything else. A word may still be reserved.
var (
	plainAddress = regexp.MustCompile(`^\d+(\.\d+){2,3}(/\d+)?$`)
	plainWord    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._/@+-]*( [A-Za-z0-9._/@+-]+)*$`)
)

// formatScalar returns a string as a scalar of YAML, quoted unless it is certainly plain.
func formatScalar(text string) string {
	reserved := []string{"null", "true", "false", "yes", "no", "on", "off", "y", "n"}
	if plainAddress.MatchString(text) || plainWord.MatchString(text) && !slices.Contains(reserved, strings.ToLower(text)) {
		return text
	}
	return strconv.Quote(text)
}

// FormatSample returns a sample value as text in the form of the field's values.
func FormatSample(f wizard.Field) string {
	switch {
	case f.Example != "":
		return f.Example
	case len(f.Choices) > 0:
		return f.Choices[0]
	}
	return "…"
}

// formatLine returns a value as one line of an answers file, with its sections.
func formatLine(f wizard.Field, value string) string {
	sections := strings.Split(f.Key, ".")
	text := FormatInline(f, value)
	for _, section := range slices.Backward(sections[1:]) {
		text = fmt.Sprintf("{%s: %s}", section, text)
	}
	return sections[0] + ": " + text
}

// FormatInline returns a value as YAML on one line.
func FormatInline(f wizard.Field, value string) string {
	if value == "" {
		return formatFlow(f.Shape(), value)
	}
	switch f.Shape() {
	case wizard.Table:
		items, _ := listtext.Split(value)
		for i, item := range items {
			key, text, _ := strings.Cut(item, "=")
			items[i] = formatScalar(key) + ": " + formatScalar(text)
		}
		return "{" + strings.Join(items, ", ") + "}"
	case wizard.Groups:
		return "[{" + strings.NewReplacer("=", ": ", " ", ", ").Replace(value) + "}]"
	case wizard.Text, wizard.Number, wizard.Switch, wizard.List, wizard.Reference:
	}
	return formatFlow(f.Shape(), value)
}

// Describe returns the title and the help.
func Describe(f wizard.Field) string {
	if f.Help == "" {
		return f.Title
	}
	return f.Title + ". " + f.Help
}
