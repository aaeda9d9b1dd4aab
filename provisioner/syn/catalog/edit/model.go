package edit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

type nodeKind int

const (
	null nodeKind = iota
	scalar
	mapping
	sequence
	alias
)

const mergeKey = "<<"

// node is a value without its formatting. Aliases are not followed, so that it is never larger than its text.
type node struct {
	nodeKind nodeKind
	kind     string // of a scalar: "string", "bool", "number", "other"
	text     string // of a scalar; the name of an alias's anchor
	entries  []entry
	items    []*node
	anchor   string
	tag      string
	line     int
}

type entry struct {
	key   string
	value *node
	line  int
}

func newModel(from ast.Node) *node {
	if from == nil {
		return &node{}
	}
	n := &node{line: from.GetToken().Position.Line}
	switch from := from.(type) {
	case *ast.NullNode:
	case *ast.MappingNode:
		n.nodeKind = mapping
		for _, each := range from.Values {
			n.entries = append(n.entries, newEntry(each))
		}
	case *ast.MappingValueNode:
		n.nodeKind, n.entries = mapping, []entry{newEntry(from)}
	case *ast.SequenceNode:
		n.nodeKind = sequence
		for _, each := range from.Values {
			n.items = append(n.items, newModel(each))
		}
	case *ast.AnchorNode:
		n = newModel(from.Value)
		n.anchor = getText(from.Name)
	case *ast.TagNode:
		n = newModel(from.Value)
		n.tag = from.GetToken().Value
	case *ast.AliasNode:
		n.nodeKind, n.text = alias, getText(from.Value)
	default:
		n.nodeKind = scalar
		n.kind, n.text = parseScalar(from)
	}
	return n
}

func newEntry(from *ast.MappingValueNode) entry {
	return entry{key: parseKey(from), value: newModel(from.Value), line: from.Key.GetToken().Position.Line}
}

// parseKey returns "" for a key that is a complex value, which no edit refers to.
func parseKey(from *ast.MappingValueNode) string {
	switch key := from.Key.(type) {
	case *ast.MergeKeyNode:
		return mergeKey
	case *ast.StringNode:
		return key.Value
	case *ast.MappingKeyNode:
		return "? " + getText(key.Value)
	}
	return from.Key.GetToken().Value
}

func getText(from ast.Node) string {
	if from == nil || from.GetToken() == nil {
		return ""
	}
	return from.GetToken().Value
}

func parseScalar(from ast.Node) (kind, text string) {
	switch from := from.(type) {
	case *ast.StringNode:
		return "string", from.Value
	case *ast.LiteralNode:
		return "string", from.Value.Value
	case *ast.BoolNode:
		return "bool", fmt.Sprint(from.Value)
	case *ast.IntegerNode:
		return "number", fmt.Sprint(from.Value)
	case *ast.FloatNode:
		return "number", fmt.Sprint(from.Value)
	}
	return "other", getText(from)
}

func newValue(value any) *node {
	switch value := value.(type) {
	case nil:
		return &node{}
	case string:
		return &node{nodeKind: scalar, kind: "string", text: value}
	case bool:
		return &node{nodeKind: scalar, kind: "bool", text: fmt.Sprint(value)}
	case map[string]any:
		n := &node{nodeKind: mapping}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			n.entries = append(n.entries, entry{key: key, value: newValue(value[key])})
		}
		return n
	case []string:
		n := &node{nodeKind: sequence}
		for _, item := range value {
			n.items = append(n.items, newValue(item))
		}
		return n
	}
	return &node{nodeKind: scalar, kind: "number", text: fmt.Sprint(value)}
}

// equalNodes also compares the order.
func equalNodes(a, b *node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.nodeKind != b.nodeKind || a.kind != b.kind || a.text != b.text || a.anchor != b.anchor || a.tag != b.tag {
		return false
	}
	return slices.EqualFunc(a.items, b.items, equalNodes) && slices.EqualFunc(a.entries, b.entries, func(a, b entry) bool {
		return a.key == b.key && equalNodes(a.value, b.value)
	})
}

// String returns the value for messages, truncated.
func (n *node) String() string {
	switch {
	case n == nil:
		return "nothing"
	case n.nodeKind == null:
		return "null"
	case n.nodeKind == mapping:
		return fmt.Sprintf("a map of %d keys", len(n.entries))
	case n.nodeKind == sequence:
		return fmt.Sprintf("a list of %d items", len(n.items))
	case n.nodeKind == alias:
		return "*" + sanitize(n.text)
	case n.kind == "string":
		return `"` + sanitize(n.text) + `"`
	}
	return sanitize(n.text)
}

func (n *node) lineNumber() int {
	if n == nil {
		return 0
	}
	return n.line
}

func (n *node) find(key string) (int, bool) {
	i := slices.IndexFunc(n.entries, func(e entry) bool { return e.key == key })
	return i, i >= 0
}

func (n *node) lookup(path []string) *node {
	for _, key := range path {
		i, found := n.find(key)
		if !found {
			return nil
		}
		n = n.entries[i].value
	}
	return n
}

func (n *node) findAnchor() string {
	if n.anchor != "" {
		return n.anchor
	}
	for _, each := range n.entries {
		if name := each.value.findAnchor(); name != "" {
			return name
		}
	}
	for _, each := range n.items {
		if name := each.findAnchor(); name != "" {
			return name
		}
	}
	return ""
}

func formatPath(path []string) string { return sanitize(strings.Join(path, ".")) }

func isComment(t *token.Token) bool { return t != nil && t.Type == token.CommentType }
