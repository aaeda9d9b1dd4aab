package schema

import (
	"slices"
	"strings"

	"exoshift/internal/stable"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

// Template returns an answers file to start with: required answers first, empty and with their help; all others
// as comments, with their defaults. A comment that begins with "# " explains; every other is an answer to uncomment.
func Template() []byte {
	var out strings.Builder
	out.WriteString(`# Answers for exoshift. Fill in what is empty; what is behind a # keeps its default.
# Check it:     exoshift answers validate FILE
# Learn more:   exoshift answers explain KEY
# Secrets are never written here, only where they are found: {env: NAME} or {file: PATH}; those of the API also by {exo: ACCOUNT}.
`)
	needed, usual := splitSections()
	for _, field := range wizard.Fields() {
		if !strings.Contains(field.Key, ".") { // the head of the file
			out.WriteString(field.Key + ": " + field.Default() + "\n")
		}
	}
	for _, name := range needed {
		out.WriteString("\n" + name + ":\n" + strings.Join(formatTemplateLines(name, ""), ""))
	}
	out.WriteString("\n# Everything below has a default.\n")
	for _, name := range usual {
		out.WriteString("\n#" + name + ":\n" + strings.Join(formatTemplateLines(name, "#"), ""))
	}
	return []byte(out.String())
}

func splitSections() (needed, usual []string) {
	for _, field := range answersfile.FindFields("") {
		if name, _, _ := strings.Cut(field.Key, "."); mustBeGiven(field) && !slices.Contains(needed, name) {
			needed = append(needed, name)
		}
	}
	for _, field := range answersfile.FindFields("") {
		if name, _, _ := strings.Cut(field.Key, "."); !slices.Contains(append(usual, needed...), name) {
			usual = append(usual, name)
		}
	}
	return needed, usual
}

func mustBeGiven(f wizard.Field) bool { return f.Required && f.Default() == "" }

// Required answers come first. If the whole section is a comment, mark precedes each line.
func formatTemplateLines(section, mark string) []string {
	fields := answersfile.FindFields(section)
	stable.Sort(fields, func(a, b wizard.Field) int {
		switch {
		case mustBeGiven(a) == mustBeGiven(b):
			return 0
		case mustBeGiven(a):
			return -1
		}
		return 1
	})
	var lines []string
	open := section
	for _, field := range fields {
		indent := strings.Repeat("  ", strings.Count(field.Key, "."))
		if above := sectionOf(field.Key); above != section && above != open {
			lines = append(lines, mark+commentOut(indent[2:], mark)+lastPart(above)+":\n")
		}
		open = sectionOf(field.Key)
		for _, line := range wrapText(answersfile.Describe(field), templateWidth-len(indent)) {
			lines = append(lines, mark+indent+"# "+line+"\n")
		}
		lines = append(lines, formatTemplateLine(field, indent, mark))
	}
	return lines
}

// In characters, with the indentation.
const templateWidth = 100

func formatTemplateLine(f wizard.Field, indent, mark string) string {
	key := lastPart(f.Key) + ": "
	if mustBeGiven(f) {
		return indent + key + formatBlank(f) + " # e.g. " + answersfile.FormatInline(f, answersfile.FormatSample(f)) + "\n"
	}
	if value := f.Default(); value != "" {
		return mark + commentOut(indent, mark) + key + answersfile.FormatInline(f, value) + "\n"
	}
	return mark + commentOut(indent, mark) + key + answersfile.FormatInline(f, answersfile.FormatSample(f)) + " # an example; usually there is none\n"
}

func commentOut(indent, mark string) string {
	if mark != "" {
		return indent
	}
	return indent + "#"
}

func formatBlank(f wizard.Field) string {
	if f.Shape() == wizard.Reference {
		return `{file: ""}`
	}
	return `""`
}

func wrapText(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

func sectionOf(key string) string { return key[:max(strings.LastIndex(key, "."), 0)] }

func lastPart(key string) string { return key[strings.LastIndex(key, ".")+1:] }
