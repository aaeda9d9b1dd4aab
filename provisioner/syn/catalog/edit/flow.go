package edit

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

func (w writer) insertIntoFlow(end *token.Token, text string) {
	at := w.findPosition(end)
	head := strings.TrimRight(w.lineText(at.line)[:at.at], " \t")
	before := end.Prev
	for isComment(before) {
		before = before.Prev
	}
	follows := before != nil && before.Type != token.CollectEntryType && before.Type != token.MappingStartType && before.Type != token.SequenceStartType
	from := at
	if head != "" {
		from.at = len(head)
	}
	space := w.lineText(at.line)[from.at:at.at]
	switch {
	case follows:
		text = ", " + text
	case head != "" && strings.HasSuffix(head, ","):
		text = " " + text
	}
	w.replace(span{from, at}, text+space)
}

// removeFromFlow removes a part of a flow map or list with its comma.
func (w writer) removeFromFlow(part span) {
	after := strings.TrimLeft(w.lineText(part.to.line)[part.to.at:], " \t")
	if strings.HasPrefix(after, ",") {
		after = strings.TrimLeft(after[1:], " \t")
		part.to.at = len(w.lineText(part.to.line)) - len(after)
	} else if head := strings.TrimRight(w.lineText(part.from.line)[:part.from.at], " \t"); strings.HasSuffix(head, ",") {
		part.from.at = len(head) - 1
	}
	w.replace(part, "")
}

func (w writer) findPairSpan(e *ast.MappingValueNode) span {
	return span{w.findPosition(e.Key.GetToken()), w.findValueSpan(e, true).to}
}
