package edit

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// position is a byte in a line; lines are counted from 1, bytes from 0.
type position struct{ line, at int }

// span is a half-open range of the text.
type span struct{ from, to position }

func (d *document) lineText(number int) string {
	if number < 1 || number > len(d.lines) {
		return ""
	}
	return d.lines[number-1].text
}

// findPosition converts the token's column, which is in characters.
func (d *document) findPosition(t *token.Token) position {
	text, letters := d.lineText(t.Position.Line), 0
	for at := range text {
		if letters++; letters == t.Position.Column {
			return position{t.Position.Line, at}
		}
	}
	return position{t.Position.Line, len(text)}
}

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

// isWrittenNull reports whether a null is explicit.
func (d *document) isWrittenNull(from position) bool {
	rest := strings.TrimLeft(d.lineText(from.line)[from.at:], " \t")
	return strings.HasPrefix(rest, "~") || strings.HasPrefix(strings.ToLower(rest), "null")
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

func (d *document) findEnd(t *token.Token) position {
	if t == nil {
		return position{}
	}
	p := d.findPosition(t)
	return position{p.line, p.at + 1}
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

// findClosing returns the position after the closing quote.
func (d *document) findClosing(open position, quote byte) position {
	at := open.at + 1
	for number := open.line; number <= len(d.lines); number++ {
		for text := d.lineText(number); at < len(text); at++ {
			switch {
			case text[at] == '\\' && quote == '"':
				at++
			case text[at] == quote && quote == '\'' && strings.HasPrefix(text[at+1:], "'"):
				at++
			case text[at] == quote:
				return position{number, at + 1}
			}
		}
		at = 0
	}
	return open
}

func (d *document) replace(s span, text string) {
	head, tail := d.lineText(s.from.line)[:s.from.at], d.lineText(s.to.line)[s.to.at:]
	if s.to.line > s.from.line {
		d.lines[s.from.line-1].end = d.lines[s.to.line-1].end
		d.lines = append(d.lines[:s.from.line:s.from.line], d.lines[s.to.line:]...)
	}
	d.lines[s.from.line-1].text = head + text + tail
}
