package edit

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// within finds the lines that are part of a value which began on a line above them: what looks like a comment there is
// none, and their indentation says nothing.
func (d *document) within() map[int]bool {
	solid := map[int]bool{}
	if d.root != nil {
		d.enclose(solid, d.root, -1)
	}
	return solid
}

// enclose marks those of a value; indent is that of the key or dash that it belongs to.
func (d *document) enclose(solid map[int]bool, n ast.Node, indent int) {
	switch n := n.(type) {
	case *ast.MappingNode:
		fillFlow(solid, n.IsFlowStyle, n.Start, n.End)
		for _, each := range n.Values {
			d.enclose(solid, each, indent)
		}
	case *ast.MappingValueNode:
		d.enclose(solid, n.Value, n.Key.GetToken().Position.Column-1)
	case *ast.SequenceNode:
		fillFlow(solid, n.IsFlowStyle, n.Start, n.End)
		for _, each := range n.Values {
			d.enclose(solid, each, n.Start.Position.Column-1)
		}
	case *ast.AnchorNode:
		d.enclose(solid, n.Value, indent)
	case *ast.TagNode:
		d.enclose(solid, n.Value, indent)
	case *ast.LiteralNode:
		d.markLiteral(solid, n.Start.Position.Line, indent, strings.Contains(n.Start.Value, "+"))
	case *ast.StringNode:
		if from := d.position(n.Token); strings.HasPrefix(d.text(from.line)[from.at:], `"`) || strings.HasPrefix(d.text(from.line)[from.at:], `'`) {
			fill(solid, from.line+1, d.closing(from, d.text(from.line)[from.at]).line)
		}
	}
}

// fillFlow marks those between the brackets of a value.
func fillFlow(solid map[int]bool, inFlow bool, start, end *token.Token) {
	if inFlow && end != nil {
		fill(solid, start.Position.Line+1, end.Position.Line)
	}
}

func fill(solid map[int]bool, first, last int) {
	for number := first; number <= last; number++ {
		solid[number] = true
	}
}

// markLiteral marks the lines of a text that stands as it is. Empty lines at its end are left to whoever comes next,
// unless the text keeps them.
func (d *document) markLiteral(solid map[int]bool, header, indent int, keeps bool) {
	last, own := header, 0
	for number := header + 1; number <= len(d.lines); number++ {
		text := d.text(number)
		if strings.TrimSpace(text) == "" {
			if keeps {
				last = number
			}
			continue
		}
		if own == 0 {
			own = indentOf(text)
		}
		if own <= indent || indentOf(text) < own {
			break
		}
		last = number
	}
	fill(solid, header+1, last)
}

// last finds the last line of what stands below a key or a dash, without comments and empty lines behind it. For a list
// below a key, dashes may stand where the key does.
func (d *document) last(first, indent int, dashes bool) int {
	last := first
	for number := first + 1; number <= len(d.lines); number++ {
		text := d.text(number)
		bare := strings.TrimSpace(text)
		switch {
		case d.solid[number]:
			last = number
		case bare == "" || strings.HasPrefix(bare, "#"):
		case indentOf(text) > indent, dashes && indentOf(text) == indent && (bare == "-" || strings.HasPrefix(bare, "- ")):
			last = number
		default:
			return last
		}
	}
	return last
}
