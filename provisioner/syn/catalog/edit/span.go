package edit

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
)

func countIndent(text string) int { return len(text) - len(strings.TrimLeft(text, " ")) }

// findValueSpan returns the span of an entry's value, without a comment after it; from equals to if there is none.
func (d *document) findValueSpan(e *ast.MappingValueNode, inFlow bool) span {
	colon := d.findPosition(e.Start)
	start := position{colon.line, colon.at + 1}
	if isMissing(e.Value) && !d.isWrittenNull(start) {
		none := span{start, start}
		rest := d.lineText(start.line)[start.at:]
		if bare := strings.TrimLeft(rest, " "); inFlow && bare != "" && strings.Contains(",]}", bare[:1]) {
			none.to.at += len(rest) - len(bare)
		}
		return none
	}
	return d.findSpan(e.Value, inFlow)
}

func isMissing(n ast.Node) bool {
	_, is := n.(*ast.NullNode)
	return n == nil || is
}

func (d *document) findSpan(n ast.Node, inFlow bool) span {
	from := d.findPosition(n.GetToken())
	switch n := n.(type) {
	case *ast.MappingNode:
		return span{from, d.findEnd(n.End)}
	case *ast.SequenceNode:
		return span{from, d.findEnd(n.End)}
	case *ast.LiteralNode:
		return span{from, position{from.line, from.at + len(trimComment(d.lineText(from.line)[from.at:]))}}
	}
	text := d.lineText(from.line)[from.at:]
	switch {
	case strings.HasPrefix(text, `"`), strings.HasPrefix(text, `'`):
		return span{from, d.findClosing(from, text[0])}
	case inFlow:
		return span{from, position{from.line, from.at + len(trimMark(trimComment(text)))}}
	}
	return span{from, position{from.line, from.at + len(trimComment(text))}}
}

func trimComment(text string) string {
	for at := range text {
		if text[at] == '#' && (at == 0 || text[at-1] == ' ' || text[at-1] == '\t') {
			text = text[:at]
			break
		}
	}
	return strings.TrimRight(text, " \t")
}

// trimMark cuts off what follows a plain value in braces or brackets.
func trimMark(text string) string {
	if at := strings.IndexAny(text, ",]}"); at >= 0 {
		text = text[:at]
	}
	return strings.TrimRight(text, " \t")
}
