package manifests

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
)

type document struct {
	position string // <file>:<line> where it begins
	content  []byte
	fields   yaml.MapSlice

	apiVersion, kind, namespace, name string
}

func parse(path string, content []byte) ([]document, error) {
	var found []document
	line := 1
	for _, part := range split(content) {
		d, err := newDocument(path, line, part)
		if err != nil {
			return nil, err
		}
		if d.fields != nil {
			found = append(found, d)
		}
		line += bytes.Count(part, []byte("\n"))
	}
	return found, nil
}

// split cuts a YAML stream before each line that begins a document. Such a line cannot be part of a block scalar, which would be
// indented.
func split(content []byte) [][]byte {
	parts := [][]byte{nil}
	for line := range bytes.Lines(content) {
		rest, marker := bytes.CutPrefix(line, []byte("---"))
		if marker && (len(rest) == 0 || bytes.ContainsAny(rest[:1], " \t\r\n")) {
			parts = append(parts, nil)
		}
		last := len(parts) - 1
		parts[last] = append(parts[last], line...)
	}
	return parts
}

func newDocument(path string, line int, content []byte) (document, error) {
	d := document{position: fmt.Sprintf("%s:%d", path, line), content: content}
	if err := yaml.UnmarshalWithOptions(content, &d.fields, yaml.UseOrderedMap()); err != nil {
		return d, newSyntaxError(path, line, err)
	}
	if d.fields == nil {
		return d, nil
	}
	metadata, _ := getField(d.fields, "metadata").(yaml.MapSlice)
	for _, read := range []struct {
		into *string
		from yaml.MapSlice
		key  string
	}{
		{&d.apiVersion, d.fields, "apiVersion"}, {&d.kind, d.fields, "kind"},
		{&d.name, metadata, "name"}, {&d.namespace, metadata, "namespace"},
	} {
		*read.into, _ = getField(read.from, read.key).(string)
	}
	if missing := d.findMissingField(); missing != "" {
		return d, newInvalidError(fmt.Errorf("%s: the document has no %s", d.position, missing)).
			WithHint("every document must be one Kubernetes object, with apiVersion, kind and metadata.name")
	}
	return d, nil
}

func (d document) findMissingField() string {
	switch {
	case d.apiVersion == "":
		return "apiVersion"
	case d.kind == "":
		return "kind"
	case d.name == "":
		return "metadata.name"
	}
	return ""
}

var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// newSyntaxError takes the line of the file that is the parser's first line.
func newSyntaxError(path string, line int, err error) error {
	message, column := err.Error(), 1
	var positioned yaml.Error
	if errors.As(err, &positioned) {
		message = positioned.GetMessage()
		if t := positioned.GetToken(); t != nil && t.Position != nil {
			line, column = line+t.Position.Line-1, t.Position.Column
		}
	}
	// The parser takes an unquoted secret that begins with * for an alias.
	if before, _, found := strings.Cut(quoted.ReplaceAllString(message, "…"), "alias"); found {
		message = before + "alias that is defined; a text that begins with * needs quotes"
	} else {
		message = before
	}
	return newInvalidError(fmt.Errorf("%s:%d:%d: %s", path, line, column, message)).
		WithHint("correct the file; a JSON or YAML document with one Kubernetes object is expected there")
}

// group returns "" for Kubernetes' core group.
func (d document) group() string {
	group, _, grouped := strings.Cut(d.apiVersion, "/")
	if !grouped {
		return ""
	}
	return group
}

func (d document) identity() string {
	return strings.Join([]string{d.group(), d.kind, d.namespace, d.name}, "/")
}

// String returns the object's name for messages.
func (d document) String() string {
	if d.namespace == "" {
		return d.kind + " " + d.name
	}
	return d.kind + " " + d.namespace + "/" + d.name
}

func getField(fields yaml.MapSlice, key string) any {
	for _, item := range fields {
		if item.Key == key {
			return item.Value
		}
	}
	return nil
}
