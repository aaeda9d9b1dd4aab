package answersfile

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"exoshift/internal/text/similar"
	"exoshift/wizard"
	"exoshift/wizard/listtext"

	"github.com/goccy/go-yaml/ast"
)

// readEntries reports a node that is no mapping, keys that are no text, and duplicate keys.
func (d *document) readEntries(node ast.Node, path string, here position) iter.Seq2[string, *ast.MappingValueNode] {
	return func(yield func(string, *ast.MappingValueNode) bool) {
		mapping, ok := node.(ast.MapNode)
		if !ok {
			d.reportNoMapping(node, path, here)
			return
		}
		seen := map[string]position{}
		for pairs := mapping.MapRange(); pairs.Next(); {
			entry := pairs.KeyValue()
			spot := positionOf(entry.Key.GetToken(), here)
			key, isText := entry.Key.(*ast.StringNode)
			if !isText {
				d.report(spot, wizard.Problem{Field: wizard.FormatPath(wizard.ToPrefix(path) + entry.Key.String()), Message: "the key is not a plain scalar"})
				continue
			}
			if first, twice := seen[key.Value]; twice {
				d.report(spot, wizard.Problem{Field: wizard.FormatPath(wizard.ToPrefix(path) + key.Value),
					Message: fmt.Sprintf("is set twice, first on line %d", first.line)})
				continue
			}
			seen[key.Value] = spot
			if !yield(key.Value, entry) {
				return
			}
		}
	}
}

// An empty section is allowed.
func (d *document) reportNoMapping(node ast.Node, path string, here position) {
	if isNull(node) {
		return
	}
	d.unparsable = d.unparsable || path == ""
	d.report(d.start(node, here), wizard.Problem{Field: cmp.Or(path, wholeFile), Message: "is " + describeNode(node),
		Allowed: "a mapping of keys to values"})
}

func isNull(node ast.Node) bool {
	_, null := node.(*ast.NullNode)
	return null || node == nil
}

func (d *document) readValue(field wizard.Field, node ast.Node, key position) {
	if isNull(node) {
		d.report(key, wizard.Problem{Field: field.Key, Message: "has no value", Allowed: field.FormatAllowed()})
		return
	}
	switch field.Shape() {
	case wizard.List:
		d.readList(field, node, key)
	case wizard.Table:
		d.readTable(field, node, key)
	case wizard.Reference:
		d.readReference(field, node, key)
	case wizard.Groups:
		d.readGroups(field, node, key)
	case wizard.Text, wizard.Number, wizard.Switch:
		if text, ok := d.readScalar(field.Key, field, node, key); ok {
			d.setValue(field, text)
		}
	}
}

func (d *document) setValue(field wizard.Field, text string) {
	if err := field.Store(&d.spec, text); err != nil {
		d.report(d.findPosition(field.Key), wizard.Problem{Field: field.Key, Message: err.Error(), Allowed: field.FormatAllowed()})
	}
}

func (d *document) readScalar(path string, field wizard.Field, node ast.Node, key position) (string, bool) {
	want := wizard.Text
	if field.Shape() == wizard.Number || field.Shape() == wizard.Switch {
		want = field.Shape()
	}
	text, is := readScalarOf(node)
	if is == want {
		return strings.TrimSpace(text), true
	}
	d.report(d.start(node, key), wizard.Problem{Field: path, Message: fmt.Sprintf("is %s, not %s", describeNode(node), want),
		Allowed: field.FormatAllowed(), Suggestion: convertScalar(text, want, field)})
	return "", false
}

func readScalarOf(node ast.Node) (string, wizard.Shape) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, wizard.Text
	case *ast.LiteralNode:
		return n.Value.Value, wizard.Text
	case *ast.IntegerNode:
		return fmt.Sprint(n.Value), wizard.Number
	case *ast.BoolNode:
		return fmt.Sprint(n.Value), wizard.Switch
	case *ast.FloatNode:
		return n.Token.Value, ""
	}
	return "", ""
}

func convertScalar(text string, want wizard.Shape, field wizard.Field) string {
	if text == "" || field.Secret || len(text) > wizard.MaxShown {
		return ""
	}
	word := strings.ToLower(strings.TrimSpace(text))
	switch want {
	case wizard.Text:
		return field.SuggestText(text)
	case wizard.Number:
		var n int
		if read, err := fmt.Sscanf(word, "%d", &n); err == nil && read == 1 && fmt.Sprint(n) == word {
			return word
		}
	case wizard.Switch:
		return map[string]string{"yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false"}[word]
	}
	return ""
}

func describeNode(node ast.Node) string {
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
	return "an anchor, alias or tag, which are not supported"
}

func (d *document) readItems(field wizard.Field, node ast.Node, key position) ([]ast.Node, bool) {
	sequence, ok := node.(*ast.SequenceNode)
	if !ok {
		d.report(d.start(node, key), wizard.Problem{Field: field.Key, Message: "is " + describeNode(node) + ", not a list", Allowed: field.FormatAllowed()})
		return nil, false
	}
	if faults := field.CheckCount(len(sequence.Values)); faults != nil {
		d.report(d.start(node, key), faults[0])
		return nil, false
	}
	return sequence.Values, true
}

func (d *document) readList(field wizard.Field, node ast.Node, key position) {
	nodes, _ := d.readItems(field, node, key)
	var items []string
	for i, item := range nodes {
		path := field.ItemKey(i, "")
		d.positions[path] = d.start(item, key)
		text, _ := d.readScalar(path, field, item, key)
		items = append(items, text) // a wrong one, too, so that the others keep their indexes
	}
	d.setValue(field, listtext.Join(items))
}

func (d *document) readTable(field wizard.Field, node ast.Node, key position) {
	var items []string
	for name, entry := range d.readEntries(node, field.Key, key) {
		path := wizard.ToPrefix(field.Key) + wizard.FormatPath(name)
		d.positions[path] = d.start(entry.Value, positionOf(entry.Key.GetToken(), key))
		text, ok := d.readScalar(path, field, entry.Value, key)
		switch {
		case ok && strings.Contains(name, "="):
			d.report(d.positions[path], wizard.Problem{Field: path, Message: "the name contains '='"})
		case ok:
			items = append(items, name+"="+text)
		}
	}
	d.setValue(field, listtext.Join(items))
}

// The form is {env: NAME}, {file: PATH} or {exo: ACCOUNT}. Any other value is not repeated: it may be the secret.
func (d *document) readReference(field wizard.Field, node ast.Node, key position) {
	if _, ok := node.(ast.MapNode); !ok {
		d.report(d.start(node, key), wizard.Problem{Field: field.Key, Message: "is not a reference; do not put the secret itself here",
			Allowed: field.FormatAllowed()})
		return
	}
	var kinds []string
	var given string
	for name, entry := range d.readEntries(node, field.Key, key) {
		spot := positionOf(entry.Key.GetToken(), key)
		if !slices.Contains(wizard.ListReferenceKinds(), name) {
			d.report(spot, wizard.Problem{Field: field.Key, Message: "contains an unknown key", Allowed: field.FormatAllowed(),
				Suggestion: similar.FindNearest(name, wizard.ListReferenceKinds())})
			continue
		}
		if text, ok := d.readScalar(field.Key, field, entry.Value, spot); ok && text != "" {
			kinds, given = append(kinds, name), name+":"+text
		}
	}
	if len(kinds) > 1 {
		d.report(d.findPosition(field.Key), wizard.Problem{Field: field.Key, Message: wizard.FormatConflict(kinds), Allowed: field.FormatAllowed()})
		return
	}
	d.setValue(field, given)
}

func (d *document) readGroups(field wizard.Field, node ast.Node, key position) {
	items, _ := d.readItems(field, node, key)
	d.spec.Sizing.ExtraGroups = nil
	for i, item := range items {
		d.spec.Sizing.ExtraGroups = append(d.spec.Sizing.ExtraGroups, wizard.NewGroup())
		path := fmt.Sprintf("%s[%d]", field.Key, i)
		d.positions[path] = d.start(item, key)
		d.readSection(item, path, d.positions[path])
		d.require(path, "name", "type", "count")
	}
}
