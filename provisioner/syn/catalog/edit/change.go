package edit

import (
	"strings"

	"exoshift/state"

	"github.com/goccy/go-yaml/ast"
)

// writer changes the text of a document.
type writer struct{ *document }

type location struct {
	entry  *ast.MappingValueNode // nil: the document itself
	owner  *ast.MappingNode      // of the entry; nil for the document
	above  *ast.MappingValueNode // that has the owner as its value; nil: the document
	value  ast.Node
	rest   []string
	inFlow bool // the entry is within braces
}

func (w writer) findLocation(path []string) location {
	s := location{value: w.root, rest: path}
	for len(s.rest) > 0 {
		owner := toMap(s.value)
		if owner == nil {
			break
		}
		var found *ast.MappingValueNode
		for _, each := range owner.Values {
			if parseKey(each) == s.rest[0] {
				found = each
			}
		}
		if found == nil {
			break
		}
		s = location{entry: found, owner: owner, above: s.entry, value: found.Value, rest: s.rest[1:], inFlow: s.inFlow || owner.IsFlowStyle}
	}
	return s
}

func toMap(n ast.Node) *ast.MappingNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n
	case *ast.MappingValueNode:
		return &ast.MappingNode{Start: n.Start, Values: []*ast.MappingValueNode{n}}
	}
	return nil
}

func (w writer) updateText(e state.YAMLEdit) error {
	s := w.findLocation(e.Path)
	if !w.isRegular(s) {
		return w.newConflict(s.entry.GetToken().Position.Line, "the path to %s has an unusual form", formatPath(e.Path)).
			WithHint("change it manually: %s", describeEdit(e))
	}
	switch {
	case e.Item != "" && e.Remove:
		return w.removeItem(s, e.Item)
	case e.Item != "" && len(s.rest) == 0 && !isMissing(s.value) && len(s.value.(*ast.SequenceNode).Values) > 0:
		return w.addItem(s, e.Item)
	case e.Item != "":
		return w.set(s, []string{e.Item})
	case e.Value == nil:
		return w.removeEntry(s)
	}
	return w.set(s, e.Value)
}

// isRegular reports whether a key is on the line of its colon, after nothing but spaces or braces.
func (w writer) isRegular(s location) bool {
	if s.entry == nil {
		return true
	}
	key, colon := w.findPosition(s.entry.Key.GetToken()), w.findPosition(s.entry.Start)
	if key.line != colon.line {
		return false
	}
	return s.inFlow || strings.TrimSpace(w.lineText(key.line)[:key.at]) == ""
}

func (w writer) set(s location, value any) error {
	below := toMap(s.value)
	switch {
	case len(s.rest) > 0 && below != nil && len(below.Values) > 0:
		fresh := entry{key: s.rest[0], value: newNested(s.rest[1:], value)}
		if below.IsFlowStyle {
			w.insertIntoFlow(below.End, quoteString(fresh.key, "")+": "+renderFlow(fresh.value, ""))
			return nil
		}
		return w.append(below, fresh)
	case s.entry == nil:
		return w.create(newNested(s.rest, value))
	}
	return w.put(s, newNested(s.rest, value))
}

func (w writer) append(into *ast.MappingNode, fresh entry) error {
	lastEntry := into.Values[len(into.Values)-1]
	key := w.findPosition(lastEntry.Key.GetToken())
	if strings.TrimSpace(w.lineText(key.line)[:key.at]) != "" || key.line != w.findPosition(lastEntry.Start).line {
		return w.newConflict(key.line, "the keys there have an unusual form").
			WithHint("add %s there manually: %s", sanitize(fresh.key), fresh.value)
	}
	w.insert(w.findLast(key.line, key.at, true), w.detectStyle().renderPair(fresh, key.at)...)
	return nil
}

// create writes the first keys of a document: the lists of classes and applications come before the parameters if all are created
// one after the other.
func (w writer) create(value *node) error {
	if w.root != nil { // {} or null
		s := w.findSpan(w.root, true)
		if isMissing(w.root) && !w.isWrittenNull(s.from) {
			s.to = s.from
		}
		w.replace(s, "")
		if w.lines[s.from.line-1].text == "" {
			w.remove(s.from.line, s.from.line)
			s.from.line--
		}
		w.insert(s.from.line, w.renderKeys(value)...)
		return nil
	}
	at := len(w.lines)
	for at > 0 && w.lineText(at) == "..." {
		at--
	}
	w.insert(at, w.renderKeys(value)...)
	return nil
}

func (w writer) renderKeys(value *node) (lines []string) {
	for _, each := range value.entries {
		lines = append(lines, w.detectStyle().renderPair(each, 0)...)
	}
	return lines
}

func (w writer) put(s location, value *node) error {
	if s.inFlow {
		place := w.findValueSpan(s.entry, true)
		w.replace(place, w.padText(place, renderFlow(value, w.getLineFrom(place))))
		return nil
	}
	key := w.findPosition(s.entry.Key.GetToken())
	place, last := w.findValueSpan(s.entry, false), w.findLast(key.line, key.at, isSequence(s.value))
	like := ""
	if place.from.line > key.line { // it is on a line below its key
		place = span{}
	} else {
		like = w.getLineFrom(place)
	}
	inline, below := w.detectStyle().renderBlock(value, key.at, like)
	w.setKeyText(s.entry, place, last, inline)
	w.insert(key.line, below...)
	return nil
}

// setKeyText removes the old value's lines below the key.
func (w writer) setKeyText(e *ast.MappingValueNode, place span, last int, inline string) {
	line := w.findPosition(e.Start).line
	if place == (span{}) {
		colon := w.findPosition(e.Start)
		place = span{position{colon.line, colon.at + 1}, position{colon.line, colon.at + 1}}
	}
	if place.to.line > line { // quotes or brackets over several lines, with what follows them
		last -= place.to.line - line
	}
	if inline == "" {
		for place.from.at > 0 && strings.HasSuffix(w.lineText(line)[:place.from.at], " ") {
			place.from.at--
		}
	}
	w.replace(place, w.padText(place, inline))
	if last > line { // a file without a final newline keeps that
		if w.lines[last-1].end == "" {
			w.lines[line-1].end = ""
		}
		w.remove(line+1, last)
	}
}

// padText puts a space between a colon and a value.
func (w writer) padText(place span, text string) string {
	head := w.lineText(place.from.line)[:place.from.at]
	if text != "" && strings.HasSuffix(head, ":") {
		return " " + text
	}
	return text
}

func (w writer) getLineFrom(s span) string { return w.lineText(s.from.line)[s.from.at:] }

func isSequence(n ast.Node) bool {
	_, is := n.(*ast.SequenceNode)
	return is
}

func (w writer) detectStyle() style {
	found := style{inline: w.inline}
	w.detectIndents(w.root, -1, &found)
	if found.step == 0 {
		found.step = 2
	}
	if found.dash < 0 || !found.hasList {
		found.dash = found.step
	}
	return found
}

// detectIndents considers the first map below a key, and the first list.
func (w writer) detectIndents(n ast.Node, above int, found *style) {
	switch n := n.(type) {
	case *ast.MappingNode:
		for _, each := range n.Values {
			w.detectIndents(each, above, found)
		}
	case *ast.MappingValueNode:
		own := n.Key.GetToken().Position.Column
		if above >= 0 && own > above && found.step == 0 {
			found.step = own - above
		}
		switch below := n.Value.(type) {
		case *ast.MappingNode:
			if !below.IsFlowStyle {
				w.detectIndents(below, own, found)
			}
		case *ast.SequenceNode:
			if !below.IsFlowStyle && !found.hasList {
				found.hasList, found.dash = true, below.Start.Position.Column-own
			}
		}
	}
}
