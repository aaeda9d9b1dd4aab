package wizard

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml/ast"
)

// entries yields the entries of a mapping. It reports what is no mapping, keys that are no text, and keys that come
// twice.
func (d *document) entries(node ast.Node, path string, here place) iter.Seq2[string, *ast.MappingValueNode] {
	return func(yield func(string, *ast.MappingValueNode) bool) {
		mapping, ok := node.(ast.MapNode)
		if !ok {
			d.noMapping(node, path, here)
			return
		}
		seen := map[string]place{}
		for pairs := mapping.MapRange(); pairs.Next(); {
			entry := pairs.KeyValue()
			spot := at(entry.Key.GetToken(), here)
			key, isText := entry.Key.(*ast.StringNode)
			if !isText {
				d.report(spot, Fault{Field: printed(prefix(path) + entry.Key.String()), Problem: "the key is not plain text"})
				continue
			}
			if first, twice := seen[key.Value]; twice {
				d.report(spot, Fault{Field: printed(prefix(path) + key.Value),
					Problem: fmt.Sprintf("is given twice, first on line %d", first.line)})
				continue
			}
			seen[key.Value] = spot
			if !yield(key.Value, entry) {
				return
			}
		}
	}
}

// noMapping reports what stands where a mapping should; an empty section is none.
func (d *document) noMapping(node ast.Node, path string, here place) {
	if isNull(node) {
		return
	}
	d.broken = d.broken || path == ""
	d.report(d.start(node, here), Fault{Field: cmp.Or(path, wholeFile), Problem: "is " + what(node),
		Allowed: "a mapping of keys to values"})
}

// printed makes a path of the file fit for a fault.
func printed(path string) string {
	if len(path) <= shown*2 && !strings.ContainsFunc(path, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return path
	}
	return "a key"
}

func isNull(node ast.Node) bool {
	_, null := node.(*ast.NullNode)
	return null || node == nil
}

// value reads the value of a field into the Spec.
func (d *document) value(field Field, node ast.Node, key place) {
	if isNull(node) {
		d.report(key, Fault{Field: field.Key, Problem: "has no value", Allowed: field.allowed()})
		return
	}
	switch field.Shape() {
	case List:
		d.list(field, node, key)
	case Table:
		d.table(field, node, key)
	case Reference:
		d.reference(field, node, key)
	case Groups:
		d.groups(field, node, key)
	case Text, Number, Switch:
		if text, ok := d.scalar(field.Key, field, node, key); ok {
			d.store(field, text)
		}
	}
}

// store puts text into the Spec; what cannot be converted is a fault.
func (d *document) store(field Field, text string) {
	if err := field.value.store(&d.spec, text); err != nil {
		d.report(d.place(field.Key), Fault{Field: field.Key, Problem: err.Error(), Allowed: field.allowed()})
	}
}

// scalar returns the text of a scalar node, or reports that it is not of the shape wanted.
func (d *document) scalar(path string, field Field, node ast.Node, key place) (string, bool) {
	want := Text
	if field.Shape() == Number || field.Shape() == Switch {
		want = field.Shape()
	}
	text, is := scalarOf(node)
	if is == want {
		return strings.TrimSpace(text), true
	}
	d.report(d.start(node, key), Fault{Field: path, Problem: fmt.Sprintf("is %s, not %s", what(node), want),
		Allowed: field.allowed(), Suggestion: converted(text, want, field)})
	return "", false
}

// scalarOf returns the text of a scalar and its shape, or "" for everything else.
func scalarOf(node ast.Node) (string, Shape) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, Text
	case *ast.LiteralNode:
		return n.Value.Value, Text
	case *ast.IntegerNode:
		return fmt.Sprint(n.Value), Number
	case *ast.BoolNode:
		return fmt.Sprint(n.Value), Switch
	case *ast.FloatNode:
		return n.Token.Value, ""
	}
	return "", ""
}

// converted suggests the same value in the shape that is wanted.
func converted(text string, want Shape, field Field) string {
	if text == "" || field.Secret || len(text) > shown {
		return ""
	}
	word := strings.ToLower(strings.TrimSpace(text))
	switch want {
	case Text:
		return meantText(text, field)
	case Number:
		var n int
		if read, err := fmt.Sscanf(word, "%d", &n); err == nil && read == 1 && fmt.Sprint(n) == word {
			return word
		}
	case Switch:
		return map[string]string{"yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false"}[word]
	}
	return ""
}

// meantText puts the value in quotes, unless its field refuses it even so: then what the field takes it for.
func meantText(text string, field Field) string {
	if field.rule == nil {
		return strconv.Quote(text)
	}
	if faults := field.rule(text); len(faults) > 0 {
		return faults[0].Suggestion
	}
	return strconv.Quote(text)
}

// what names the form of a node.
func what(node ast.Node) string {
	switch node.(type) {
	case *ast.StringNode, *ast.LiteralNode:
		return "text"
	case *ast.IntegerNode:
		return "a whole number"
	case *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a decimal number"
	case *ast.BoolNode:
		return "a boolean"
	case *ast.NullNode:
		return "empty"
	case *ast.SequenceNode:
		return "a list"
	case ast.MapNode:
		return "a mapping"
	}
	return "an anchor, an alias or a tag, which answers do not use"
}

// items returns the items of a list, or reports that there is none.
func (d *document) items(field Field, node ast.Node, key place) ([]ast.Node, bool) {
	sequence, ok := node.(*ast.SequenceNode)
	if !ok {
		d.report(d.start(node, key), Fault{Field: field.Key, Problem: "is " + what(node) + ", not a list", Allowed: field.allowed()})
		return nil, false
	}
	if n, most := len(sequence.Values), field.mostItems(); n > most {
		d.report(d.start(node, key), of(field.Key, tooMany(n, most))[0])
		return nil, false
	}
	return sequence.Values, true
}

func (d *document) list(field Field, node ast.Node, key place) {
	nodes, _ := d.items(field, node, key)
	var items []string
	for i, item := range nodes {
		path := field.itemKey(i, "")
		d.places[path] = d.start(item, key)
		text, _ := d.scalar(path, field, item, key)
		items = append(items, text) // also a wrong one, so that the others keep their places
	}
	d.store(field, joinItems(items))
}

func (d *document) table(field Field, node ast.Node, key place) {
	var items []string
	for name, entry := range d.entries(node, field.Key, key) {
		path := prefix(field.Key) + printed(name)
		d.places[path] = d.start(entry.Value, at(entry.Key.GetToken(), key))
		text, ok := d.scalar(path, field, entry.Value, key)
		switch {
		case ok && strings.Contains(name, "="):
			d.report(d.places[path], Fault{Field: path, Problem: "the name holds a '='"})
		case ok:
			items = append(items, name+"="+text)
		}
	}
	d.store(field, joinItems(items))
}

// reference reads {env: NAME}, {file: PATH} or {exo: ACCOUNT}. What stands there instead is not repeated: it may be the secret.
func (d *document) reference(field Field, node ast.Node, key place) {
	if _, ok := node.(ast.MapNode); !ok {
		d.report(d.start(node, key), Fault{Field: field.Key, Problem: "is not a reference; the secret itself does not belong here",
			Allowed: field.allowed()})
		return
	}
	var kinds []string
	var given string
	for name, entry := range d.entries(node, field.Key, key) {
		spot := at(entry.Key.GetToken(), key)
		if !slices.Contains(referenceKinds(), name) {
			d.report(spot, Fault{Field: field.Key, Problem: "holds an unknown key", Allowed: field.allowed(),
				Suggestion: nearest(name, referenceKinds())})
			continue
		}
		if text, ok := d.scalar(field.Key, field, entry.Value, spot); ok && text != "" {
			kinds, given = append(kinds, name), name+":"+text
		}
	}
	if len(kinds) > 1 {
		d.report(d.place(field.Key), Fault{Field: field.Key, Problem: several(kinds), Allowed: field.allowed()})
		return
	}
	d.store(field, given)
}

func (d *document) groups(field Field, node ast.Node, key place) {
	items, _ := d.items(field, node, key)
	d.spec.Sizing.ExtraGroups = nil
	for i, item := range items {
		d.spec.Sizing.ExtraGroups = append(d.spec.Sizing.ExtraGroups, newGroup())
		path := fmt.Sprintf("%s[%d]", field.Key, i)
		d.places[path] = d.start(item, key)
		d.section(item, path, d.places[path])
		d.require(path, "name", "type", "count")
	}
}
