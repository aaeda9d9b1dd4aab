package edit

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// findMultiline returns the lines that continue a value of a line above them: they contain no comments, and their indentation has
// no meaning.
func (d *document) findMultiline() map[int]bool {
	solid := map[int]bool{}
	if d.root != nil {
		d.markLines(solid, d.root, -1)
	}
	return solid
}

// markLines takes the indent of the key or dash that the value belongs to.
func (d *document) markLines(solid map[int]bool, n ast.Node, indent int) {
	switch n := n.(type) {
	case *ast.MappingNode:
		markFlow(solid, n.IsFlowStyle, n.Start, n.End)
		for _, each := range n.Values {
			d.markLines(solid, each, indent)
		}
	case *ast.MappingValueNode:
		d.markLines(solid, n.Value, n.Key.GetToken().Position.Column-1)
	case *ast.SequenceNode:
		markFlow(solid, n.IsFlowStyle, n.Start, n.End)
		for _, each := range n.Values {
			d.markLines(solid, each, n.Start.Position.Column-1)
		}
	case *ast.AnchorNode:
		d.markLines(solid, n.Value, indent)
	case *ast.TagNode:
		d.markLines(solid, n.Value, indent)
	case *ast.LiteralNode:
		d.markLiteral(solid, n.Start.Position.Line, indent, strings.Contains(n.Start.Value, "+"))
	case *ast.StringNode:
		if from := d.findPosition(n.Token); strings.HasPrefix(d.lineText(from.line)[from.at:], `"`) || strings.HasPrefix(d.lineText(from.line)[from.at:], `'`) {
			markRange(solid, from.line+1, d.findClosing(from, d.lineText(from.line)[from.at]).line)
		}
	}
}

func markFlow(solid map[int]bool, inFlow bool, start, end *token.Token) {
	if inFlow && end != nil {
		markRange(solid, start.Position.Line+1, end.Position.Line)
	}
}

func markRange(solid map[int]bool, first, last int) {
	for number := first; number <= last; number++ {
		solid[number] = true
	}
}

// markLiteral marks the lines of a block scalar, without the empty lines at its end unless it keeps them.
func (d *document) markLiteral(solid map[int]bool, header, indent int, keeps bool) {
	last, own := header, 0
	for number := header + 1; number <= len(d.lines); number++ {
		text := d.lineText(number)
		if strings.TrimSpace(text) == "" {
			if keeps {
				last = number
			}
			continue
		}
		if own == 0 {
			own = countIndent(text)
		}
		if own <= indent || countIndent(text) < own {
			break
		}
		last = number
	}
	markRange(solid, header+1, last)
}

// findLast returns the last line of the block below a key or a dash, without trailing comments and empty lines. The dashes of a
// list may have the indentation of its key.
func (d *document) findLast(first, indent int, dashes bool) int {
	last := first
	for number := first + 1; number <= len(d.lines); number++ {
		text := d.lineText(number)
		bare := strings.TrimSpace(text)
		switch {
		case d.multilineRanges[number]:
			last = number
		case bare == "" || strings.HasPrefix(bare, "#"):
		case countIndent(text) > indent, dashes && countIndent(text) == indent && (bare == "-" || strings.HasPrefix(bare, "- ")):
			last = number
		default:
			return last
		}
	}
	return last
}
