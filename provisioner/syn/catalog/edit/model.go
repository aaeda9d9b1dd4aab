package edit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// sort says what a value is.
type sort int

const (
	null sort = iota
	scalar
	mapping
	sequence
	alias
)

const mergeKey = "<<"

// node is a value without its looks. Aliases are not followed, so that it is never larger than its text.
type node struct {
	sort    sort
	kind    string // of a scalar: "string", "bool", "number", "other"
	text    string // of a scalar; of an alias the anchor's name
	entries []entry
	items   []*node
	anchor  string
	tag     string
	line    int
}

type entry struct {
	key   string
	value *node
	line  int
}

// modelOf makes a node of a parsed value; nil is no value.
func modelOf(from ast.Node) *node {
	if from == nil {
		return &node{}
	}
	n := &node{line: from.GetToken().Position.Line}
	switch from := from.(type) {
	case *ast.NullNode:
	case *ast.MappingNode:
		n.sort = mapping
		for _, each := range from.Values {
			n.entries = append(n.entries, entryOf(each))
		}
	case *ast.MappingValueNode:
		n.sort, n.entries = mapping, []entry{entryOf(from)}
	case *ast.SequenceNode:
		n.sort = sequence
		for _, each := range from.Values {
			n.items = append(n.items, modelOf(each))
		}
	case *ast.AnchorNode:
		n = modelOf(from.Value)
		n.anchor = textOf(from.Name)
	case *ast.TagNode:
		n = modelOf(from.Value)
		n.tag = from.GetToken().Value
	case *ast.AliasNode:
		n.sort, n.text = alias, textOf(from.Value)
	default:
		n.sort = scalar
		n.kind, n.text = scalarOf(from)
	}
	return n
}

func entryOf(from *ast.MappingValueNode) entry {
	return entry{key: keyOf(from), value: modelOf(from.Value), line: from.Key.GetToken().Position.Line}
}

// keyOf is the text of a key. A key that is a value of its own has none that we would look for.
func keyOf(from *ast.MappingValueNode) string {
	switch key := from.Key.(type) {
	case *ast.MergeKeyNode:
		return mergeKey
	case *ast.StringNode:
		return key.Value
	case *ast.MappingKeyNode:
		return "? " + textOf(key.Value)
	}
	return from.Key.GetToken().Value
}

// textOf is the text of a name or of a simple value.
func textOf(from ast.Node) string {
	if from == nil || from.GetToken() == nil {
		return ""
	}
	return from.GetToken().Value
}

func scalarOf(from ast.Node) (kind, text string) {
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
	return "other", textOf(from)
}

// made is the node of a value that is wanted.
func made(value any) *node {
	switch value := value.(type) {
	case nil:
		return &node{}
	case string:
		return &node{sort: scalar, kind: "string", text: value}
	case bool:
		return &node{sort: scalar, kind: "bool", text: fmt.Sprint(value)}
	case map[string]any:
		n := &node{sort: mapping}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			n.entries = append(n.entries, entry{key: key, value: made(value[key])})
		}
		return n
	case []string:
		n := &node{sort: sequence}
		for _, item := range value {
			n.items = append(n.items, made(item))
		}
		return n
	}
	return &node{sort: scalar, kind: "number", text: fmt.Sprint(value)}
}

// equal compares what two values say, and in which order.
func equal(a, b *node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.sort != b.sort || a.kind != b.kind || a.text != b.text || a.anchor != b.anchor || a.tag != b.tag {
		return false
	}
	return slices.EqualFunc(a.items, b.items, equal) && slices.EqualFunc(a.entries, b.entries, func(a, b entry) bool {
		return a.key == b.key && equal(a.value, b.value)
	})
}

// String shows a value to people, bounded.
func (n *node) String() string {
	switch {
	case n == nil:
		return "nothing"
	case n.sort == null:
		return "null"
	case n.sort == mapping:
		return fmt.Sprintf("a map of %d keys", len(n.entries))
	case n.sort == sequence:
		return fmt.Sprintf("a list of %d items", len(n.items))
	case n.sort == alias:
		return "*" + shown(n.text)
	case n.kind == "string":
		return `"` + shown(n.text) + `"`
	}
	return shown(n.text)
}

func (n *node) place() int {
	if n == nil {
		return 0
	}
	return n.line
}

func (n *node) find(key string) (int, bool) {
	i := slices.IndexFunc(n.entries, func(e entry) bool { return e.key == key })
	return i, i >= 0
}

// at returns the value at a path, or nil.
func (n *node) at(path []string) *node {
	for _, key := range path {
		i, found := n.find(key)
		if !found {
			return nil
		}
		n = n.entries[i].value
	}
	return n
}

// anchored finds an anchor in a value, or "".
func (n *node) anchored() string {
	if n.anchor != "" {
		return n.anchor
	}
	for _, each := range n.entries {
		if name := each.value.anchored(); name != "" {
			return name
		}
	}
	for _, each := range n.items {
		if name := each.anchored(); name != "" {
			return name
		}
	}
	return ""
}

// dotted is a path for people.
func dotted(path []string) string { return shown(strings.Join(path, ".")) }

// isComment tells whether a token is no part of the value.
func isComment(t *token.Token) bool { return t != nil && t.Type == token.CommentType }
