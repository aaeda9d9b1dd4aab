package wizard

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// The key of an answers file whose list is asked even with a file.
const askKey = "ask"

const askExample = "a list of keys or sections, e.g. [cluster.id, sizing]"

// Its items are keys of fields, or sections, which stand for every field below.
func (d *document) readAskList(node ast.Node, key position) {
	if d.isUserConfig {
		d.report(key, Problem{Field: askKey, Message: "belongs in an answers file, not in the usual answers"})
		return
	}
	list := Field{Key: askKey, Example: "cluster.id, sizing", value: binding{shape: List}}
	nodes, _ := d.readItems(list, node, key)
	for i, item := range nodes {
		path := list.formatItemKey(i, "")
		if text, ok := d.readScalar(path, list, item, key); ok {
			d.addAsk(path, text, d.start(item, key))
		}
	}
}

func (d *document) addAsk(path, name string, spot position) {
	found := FindFields(name)
	if name == "" {
		found = nil
	}
	if len(found) == 0 {
		d.report(spot, Problem{Field: path, Message: quote(name) + " is neither a key nor a section", Allowed: askExample,
			Suggestion: FindNearest(name)})
	}
	for _, field := range found {
		if !slices.Contains(d.ask, field.Key) {
			d.ask = append(d.ask, field.Key)
		}
	}
}

// FindFields returns the field of that key, or the fields of a section, or with "" all, in the order of Fields. Those of
// the file's head are not included.
func FindFields(name string) []Field {
	var found []Field
	for _, field := range listAnswerable() {
		if name == "" || field.Key == name || strings.HasPrefix(field.Key, name+".") {
			found = append(found, field)
		}
	}
	return found
}

// FindNearest returns the key or section that is nearest to name, or "".
func FindNearest(name string) string { return findNearest(name, listAnswerableNames()) }

func listAnswerableNames() []string {
	var names []string
	for _, field := range listAnswerable() {
		for path := field.Key; path != ""; path = parentOf(path) {
			if !slices.Contains(names, path) {
				names = append(names, path)
			}
		}
	}
	return names
}

func listAnswerable() []Field {
	var fields []Field
	for _, field := range Fields() {
		if strings.Contains(field.Key, ".") {
			fields = append(fields, field)
		}
	}
	return fields
}

func (d *document) listKeysBelow(fields []Field, path string) []string {
	keys := listKeysOf(fields, path)
	if path == "" && !d.isUserConfig {
		keys = append(keys, askKey)
	}
	return keys
}
