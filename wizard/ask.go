package wizard

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// askKey is the key below which an answers file lists what is asked although there is a file.
const askKey = "ask"

const askExample = "a list of keys or sections, e.g. [cluster.id, sizing]"

// asks reads the list of what is asked: keys of fields, or sections, which stand for every field below.
func (d *document) asks(node ast.Node, key place) {
	if d.usual {
		d.report(key, Fault{Field: askKey, Problem: "belongs in an answers file, not in the usual answers"})
		return
	}
	list := Field{Key: askKey, Example: "cluster.id, sizing", value: binding{shape: List}}
	nodes, _ := d.items(list, node, key)
	for i, item := range nodes {
		path := list.itemKey(i, "")
		if text, ok := d.scalar(path, list, item, key); ok {
			d.askFor(path, text, d.start(item, key))
		}
	}
}

func (d *document) askFor(path, name string, spot place) {
	found := Below(name)
	if name == "" {
		found = nil
	}
	if len(found) == 0 {
		d.report(spot, Fault{Field: path, Problem: quote(name) + " is neither a key nor a section", Allowed: askExample,
			Suggestion: Nearest(name)})
	}
	for _, field := range found {
		if !slices.Contains(d.ask, field.Key) {
			d.ask = append(d.ask, field.Key)
		}
	}
}

// Below returns the field of that key, or the fields of a section, or with "" all, in the order of Fields. Those of the
// file's head are nobody's answers.
func Below(name string) []Field {
	var found []Field
	for _, field := range answerable() {
		if name == "" || field.Key == name || strings.HasPrefix(field.Key, name+".") {
			found = append(found, field)
		}
	}
	return found
}

// Nearest returns the key or section that was probably meant, or "".
func Nearest(name string) string { return nearest(name, answerableNames()) }

// answerableNames are the keys of what is answered, and the sections that they are in.
func answerableNames() []string {
	var names []string
	for _, field := range answerable() {
		for path := field.Key; path != ""; path = parent(path) {
			if !slices.Contains(names, path) {
				names = append(names, path)
			}
		}
	}
	return names
}

// answerable are the fields that somebody answers: all but those of the file's head.
func answerable() []Field {
	var fields []Field
	for _, field := range Fields() {
		if strings.Contains(field.Key, ".") {
			fields = append(fields, field)
		}
	}
	return fields
}

// keysBelow returns the keys that are allowed right below a path of the file.
func (d *document) keysBelow(fields []Field, path string) []string {
	keys := keysOf(fields, path)
	if path == "" && !d.usual {
		keys = append(keys, askKey)
	}
	return keys
}
