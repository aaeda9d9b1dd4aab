package wizard

import (
	"slices"
	"strings"
)

// Template returns an answers file to start with: what has no default first, empty and with its help; all else in
// comments, with its default. A comment that begins with "# " explains; every other is an answer to take in.
func Template() []byte {
	var out strings.Builder
	out.WriteString(`# Answers for exoshift. Fill in what is empty; what is behind a # keeps its default.
# Check it:     exoshift answers validate FILE
# Learn more:   exoshift answers explain KEY
# Secrets are never written here, only where they are found: {env: NAME} or {file: PATH}; those of the API also by {exo: ACCOUNT}.
`)
	needed, usual := templateSections()
	for _, field := range headFields() {
		out.WriteString(field.Key + ": " + field.Default() + "\n")
	}
	for _, name := range needed {
		out.WriteString("\n" + name + ":\n" + strings.Join(templateLines(name, ""), ""))
	}
	out.WriteString("\n# From here on everything has a default.\n")
	for _, name := range usual {
		out.WriteString("\n#" + name + ":\n" + strings.Join(templateLines(name, "#"), ""))
	}
	return []byte(out.String())
}

// templateSections returns the sections that hold something without a default, and the others.
func templateSections() (needed, usual []string) {
	for _, field := range answerable() {
		if name, _, _ := strings.Cut(field.Key, "."); field.mustBeGiven() && !slices.Contains(needed, name) {
			needed = append(needed, name)
		}
	}
	for _, field := range answerable() {
		if name, _, _ := strings.Cut(field.Key, "."); !slices.Contains(append(usual, needed...), name) {
			usual = append(usual, name)
		}
	}
	return needed, usual
}

// mustBeGiven tells whether the field has no default and may not be empty.
func (f Field) mustBeGiven() bool { return f.Required && f.Default() == "" }

// templateLines returns the lines of a section, what must be given first. A section that is a comment as a whole has
// the mark before each line.
func templateLines(section, mark string) []string {
	fields := Below(section)
	slices.SortStableFunc(fields, func(a, b Field) int {
		switch {
		case a.mustBeGiven() == b.mustBeGiven():
			return 0
		case a.mustBeGiven():
			return -1
		}
		return 1
	})
	var lines []string
	open := section
	for _, field := range fields {
		indent := strings.Repeat("  ", strings.Count(field.Key, "."))
		if above := parent(field.Key); above != section && above != open {
			lines = append(lines, mark+optional(indent[2:], mark)+lastKey(above)+":\n")
		}
		open = parent(field.Key)
		for _, line := range broken(field.why(), templateWidth-len(indent)) {
			lines = append(lines, mark+indent+"# "+line+"\n")
		}
		lines = append(lines, field.templateLine(indent, mark))
	}
	return lines
}

// templateWidth is how wide an explanation gets, with its indentation.
const templateWidth = 100

// templateLine is the answer itself.
func (f Field) templateLine(indent, mark string) string {
	key := lastKey(f.Key) + ": "
	if f.mustBeGiven() {
		return indent + key + f.blank() + " # e.g. " + f.inline(f.Sample()) + "\n"
	}
	if value := f.Default(); value != "" {
		return mark + optional(indent, mark) + key + f.inline(value) + "\n"
	}
	return mark + optional(indent, mark) + key + f.inline(f.Sample()) + " # an example; usually there is none\n"
}

// optional puts the mark of a comment behind the indentation of what stands in a section that is none.
func optional(indent, mark string) string {
	if mark != "" {
		return indent
	}
	return indent + "#"
}

// blank is the empty value that is to be filled in.
func (f Field) blank() string {
	if f.Shape() == Reference {
		return `{file: ""}`
	}
	return `""`
}

// broken breaks a text into lines of at most so many characters, unless a word is longer.
func broken(text string, width int) []string {
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
