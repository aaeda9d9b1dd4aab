package edit

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

func (d *document) insertIntoFlow(end *token.Token, text string) {
	at := d.findPosition(end)
	head := strings.TrimRight(d.lineText(at.line)[:at.at], " \t")
	before := end.Prev
	for isComment(before) {
		before = before.Prev
	}
	follows := before != nil && before.Type != token.CollectEntryType && before.Type != token.MappingStartType && before.Type != token.SequenceStartType
	from := at
	if head != "" {
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

// removeFromFlow removes a part of a flow map or list with its comma.
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

func (d *document) findPairSpan(e *ast.MappingValueNode) span {
	return span{d.findPosition(e.Key.GetToken()), d.findValueSpan(e, true).to}
}
