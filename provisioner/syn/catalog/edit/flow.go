package edit

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// intoFlow puts a text in front of the bracket that closes a map or a list.
func (d *document) intoFlow(end *token.Token, text string) {
	at := d.position(end)
	head := strings.TrimRight(d.text(at.line)[:at.at], " \t")
	before := end.Prev
	for isComment(before) {
		before = before.Prev
	}
	follows := before != nil && before.Type != token.CollectEntryType && before.Type != token.MappingStartType && before.Type != token.SequenceStartType
	from := at
	if head != "" { // something else stands on that line: no space between it and the comma
		from.at = len(head)
	}
	space := d.text(at.line)[from.at:at.at]
	switch {
	case follows:
		text = ", " + text
	case head != "" && strings.HasSuffix(head, ","):
		text = " " + text
	}
	d.replace(span{from, at}, text+space)
}

// outOfFlow takes a part of a map or list in braces or brackets away, with its comma.
func (d *document) outOfFlow(part span) {
	after := strings.TrimLeft(d.text(part.to.line)[part.to.at:], " \t")
	if strings.HasPrefix(after, ",") {
		after = strings.TrimLeft(after[1:], " \t")
		part.to.at = len(d.text(part.to.line)) - len(after)
	} else if head := strings.TrimRight(d.text(part.from.line)[:part.from.at], " \t"); strings.HasSuffix(head, ",") {
		part.from.at = len(head) - 1
	}
	d.replace(part, "")
}

// pairSpan is a key with its value in braces.
func (d *document) pairSpan(e *ast.MappingValueNode) span {
	return span{d.position(e.Key.GetToken()), d.value(e, true).to}
}
