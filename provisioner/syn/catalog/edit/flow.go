package edit

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// insertIntoFlow puts a text in front of the bracket that closes a map or a list.
func (d *document) insertIntoFlow(end *token.Token, text string) {
	at := d.findPosition(end)
	head := strings.TrimRight(d.lineText(at.line)[:at.at], " \t")
	before := end.Prev
	for isComment(before) {
		before = before.Prev
	}
	follows := before != nil && before.Type != token.CollectEntryType && before.Type != token.MappingStartType && before.Type != token.SequenceStartType
	from := at
	if head != "" { // something else stands on that line: no space between it and the comma
		from.at = len(head)
	}
	space := d.lineText(at.line)[from.at:at.at]
	switch {
	case follows:
		text = ", " + text
	case head != "" && strings.HasSuffix(head, ","):
		text = " " + text
	}
	d.replace(span{from, at}, text+space)
}

// removeFromFlow takes a part of a map or list in braces or brackets away, with its comma.
func (d *document) removeFromFlow(part span) {
	after := strings.TrimLeft(d.lineText(part.to.line)[part.to.at:], " \t")
	if strings.HasPrefix(after, ",") {
		after = strings.TrimLeft(after[1:], " \t")
		part.to.at = len(d.lineText(part.to.line)) - len(after)
	} else if head := strings.TrimRight(d.lineText(part.from.line)[:part.from.at], " \t"); strings.HasSuffix(head, ",") {
		part.from.at = len(head) - 1
	}
	d.replace(part, "")
}

// findPairSpan is a key with its value in braces.
func (d *document) findPairSpan(e *ast.MappingValueNode) span {
	return span{d.findPosition(e.Key.GetToken()), d.findValueSpan(e, true).to}
}
