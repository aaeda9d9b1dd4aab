package edit

import (
	"strings"

	"exoshift/internal/fault"
	"exoshift/state"

	"github.com/goccy/go-yaml/ast"
)

type location struct {
	entry  *ast.MappingValueNode // nil: the document itself
	owner  *ast.MappingNode      // of the entry; nil for the document
	above  *ast.MappingValueNode // that has the owner as its value; nil: the document
	value  ast.Node
	rest   []string
	inFlow bool // the entry is within braces
}

func (d *document) findLocation(path []string) location {
	s := location{value: d.root, rest: path}
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

func (d *document) updateText(e state.YAMLEdit) error {
	s := d.findLocation(e.Path)
	if !d.isRegular(s) {
		return d.newConflict(s.entry.GetToken().Position.Line, "the way to %s is written in an unusual way", formatPath(e.Path)).
			WithHint("change it by hand: %s", describeEdit(e))
	}
	switch {
	case e.Item != "" && e.Remove:
		return d.removeItem(s, e.Item)
	case e.Item != "" && len(s.rest) == 0 && !isMissing(s.value) && len(s.value.(*ast.SequenceNode).Values) > 0:
		return d.addItem(s, e.Item)
	case e.Item != "":
		return d.set(s, []string{e.Item})
	case e.Value == nil:
		return d.removeEntry(s)
	}
	return d.set(s, e.Value)
}

// isRegular reports whether a key is on the line of its colon, after nothing but spaces or braces.
func (d *document) isRegular(s location) bool {
	if s.entry == nil {
		return true
	}
	key, colon := d.findPosition(s.entry.Key.GetToken()), d.findPosition(s.entry.Start)
	if key.line != colon.line {
		return false
	}
	return s.inFlow || strings.TrimSpace(d.lineText(key.line)[:key.at]) == ""
}

func (d *document) set(s location, value any) error {
	below := toMap(s.value)
	switch {
	case len(s.rest) > 0 && below != nil && len(below.Values) > 0:
		fresh := entry{key: s.rest[0], value: newNested(s.rest[1:], value)}
		if below.IsFlowStyle {
			d.insertIntoFlow(below.End, quoteString(fresh.key, "")+": "+renderFlow(fresh.value, ""))
			return nil
		}
		return d.append(below, fresh)
	case s.entry == nil:
		return d.create(newNested(s.rest, value))
	}
	return d.put(s, newNested(s.rest, value))
}

func (d *document) append(into *ast.MappingNode, fresh entry) error {
	lastEntry := into.Values[len(into.Values)-1]
	key := d.findPosition(lastEntry.Key.GetToken())
	if strings.TrimSpace(d.lineText(key.line)[:key.at]) != "" || key.line != d.findPosition(lastEntry.Start).line {
		return fault.Newf(fault.Conflict, "change "+d.file, "line %d: the keys there are written in an unusual way", key.line).
			WithHint("put %s there by hand: %s", sanitize(fresh.key), fresh.value)
	}
	d.insert(d.findLast(key.line, key.at, true), d.detectStyle().renderPair(fresh, key.at)...)
	return nil
}

// create writes the first keys of a document: the lists of classes and applications come before the parameters if all are created
// one after the other.
func (d *document) create(value *node) error {
	if d.root != nil { // {} or null
		s := d.findSpan(d.root, true)
		if isMissing(d.root) && !d.isWrittenNull(s.from) {
			s.to = s.from
		}
		d.replace(s, "")
		if d.lines[s.from.line-1].text == "" {
			d.remove(s.from.line, s.from.line)
			s.from.line--
		}
		d.insert(s.from.line, d.renderKeys(value)...)
		return nil
	}
	at := len(d.lines)
	for at > 0 && d.lineText(at) == "..." {
		at--
	}
	d.insert(at, d.renderKeys(value)...)
	return nil
}

func (d *document) renderKeys(value *node) (lines []string) {
	for _, each := range value.entries {
		lines = append(lines, d.detectStyle().renderPair(each, 0)...)
	}
	return lines
}

func (d *document) put(s location, value *node) error {
	if s.inFlow {
		place := d.findValueSpan(s.entry, true)
		d.replace(place, d.padText(place, renderFlow(value, d.getLineFrom(place))))
		return nil
	}
	key := d.findPosition(s.entry.Key.GetToken())
	place, last := d.findValueSpan(s.entry, false), d.findLast(key.line, key.at, isSequence(s.value))
	like := ""
	if place.from.line > key.line { // it is on a line below its key
		place = span{}
	} else {
		like = d.getLineFrom(place)
	}
	inline, below := d.detectStyle().renderBlock(value, key.at, like)
	d.setKeyText(s.entry, place, last, inline)
	d.insert(key.line, below...)
	return nil
}

// setKeyText removes the old value's lines below the key.
func (d *document) setKeyText(e *ast.MappingValueNode, place span, last int, inline string) {
	line := d.findPosition(e.Start).line
	if place == (span{}) {
		colon := d.findPosition(e.Start)
		place = span{position{colon.line, colon.at + 1}, position{colon.line, colon.at + 1}}
	}
	if place.to.line > line { // quotes or brackets over several lines, with what follows them
		last -= place.to.line - line
	}
	if inline == "" {
		for place.from.at > 0 && strings.HasSuffix(d.lineText(line)[:place.from.at], " ") {
			place.from.at--
		}
	}
	d.replace(place, d.padText(place, inline))
	if last > line { // a file without a final newline keeps that
		if d.lines[last-1].end == "" {
			d.lines[line-1].end = ""
		}
		d.remove(line+1, last)
	}
}

// padText puts a space between a colon and a value.
func (d *document) padText(place span, text string) string {
	head := d.lineText(place.from.line)[:place.from.at]
	if text != "" && strings.HasSuffix(head, ":") {
		return " " + text
	}
	return text
}

func (d *document) getLineFrom(s span) string { return d.lineText(s.from.line)[s.from.at:] }

func isSequence(n ast.Node) bool {
	_, is := n.(*ast.SequenceNode)
	return is
}

func (d *document) detectStyle() style {
	found := style{inline: d.inline}
	d.detectIndents(d.root, -1, &found)
	if found.step == 0 {
		found.step = 2
	}
	if found.dash < 0 || !found.hasList {
		found.dash = found.step
	}
	return found
}

// detectIndents considers the first map below a key, and the first list.
func (d *document) detectIndents(n ast.Node, above int, found *style) {
	switch n := n.(type) {
	case *ast.MappingNode:
		for _, each := range n.Values {
			d.detectIndents(each, above, found)
		}
	case *ast.MappingValueNode:
		own := n.Key.GetToken().Position.Column
		if above >= 0 && own > above && found.step == 0 {
			found.step = own - above
		}
		switch below := n.Value.(type) {
		case *ast.MappingNode:
			if !below.IsFlowStyle {
				d.detectIndents(below, own, found)
			}
		case *ast.SequenceNode:
			if !below.IsFlowStyle && !found.hasList {
				found.hasList, found.dash = true, below.Start.Position.Column-own
			}
		}
	}
}
