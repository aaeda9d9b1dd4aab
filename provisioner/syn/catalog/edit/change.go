package edit

import (
	"strings"

	"exoshift/internal/fault"
	"exoshift/state"

	"github.com/goccy/go-yaml/ast"
)

// spot is the deepest place of a path that exists in the text.
type spot struct {
	entry  *ast.MappingValueNode // nil: the document itself
	owner  *ast.MappingNode      // of the entry; nil for the document
	above  *ast.MappingValueNode // that the owner is the value of; nil: the document
	value  ast.Node
	rest   []string
	inFlow bool // the entry is within braces
}

// spot finds it. Everything on the way is a map: the model was asked before.
func (d *document) spot(path []string) spot {
	s := spot{value: d.root, rest: path}
	for len(s.rest) > 0 {
		owner := mapOf(s.value)
		if owner == nil {
			break
		}
		var found *ast.MappingValueNode
		for _, each := range owner.Values {
			if keyOf(each) == s.rest[0] {
				found = each
			}
		}
		if found == nil {
			break
		}
		s = spot{entry: found, owner: owner, above: s.entry, value: found.Value, rest: s.rest[1:], inFlow: s.inFlow || owner.IsFlowStyle}
	}
	return s
}

// mapOf is a value as a map, or nil.
func mapOf(n ast.Node) *ast.MappingNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n
	case *ast.MappingValueNode:
		return &ast.MappingNode{Start: n.Start, Values: []*ast.MappingValueNode{n}}
	}
	return nil
}

// change makes in the text what the model has found to be missing.
func (d *document) change(e state.YAMLEdit) error {
	s := d.spot(e.Path)
	if !d.regular(s) {
		return d.conflict(s.entry.GetToken().Position.Line, "the way to %s is written in an unusual way", dotted(e.Path)).
			WithHint("change it by hand: %s", purpose(e))
	}
	switch {
	case e.Item != "" && e.Remove:
		return d.removeItem(s, e.Item)
	case e.Item != "" && len(s.rest) == 0 && !missing(s.value) && len(s.value.(*ast.SequenceNode).Values) > 0:
		return d.addItem(s, e.Item)
	case e.Item != "":
		return d.set(s, []string{e.Item})
	case e.Value == nil:
		return d.removeEntry(s)
	}
	return d.set(s, e.Value)
}

// regular tells whether a key stands alone in front of its colon, and nothing in front of it but spaces or braces.
func (d *document) regular(s spot) bool {
	if s.entry == nil {
		return true
	}
	key, colon := d.position(s.entry.Key.GetToken()), d.position(s.entry.Start)
	if key.line != colon.line {
		return false
	}
	return s.inFlow || strings.TrimSpace(d.text(key.line)[:key.at]) == ""
}

// set puts a value in the place of what is there, or below it.
func (d *document) set(s spot, value any) error {
	below := mapOf(s.value)
	switch {
	case len(s.rest) > 0 && below != nil && len(below.Values) > 0:
		fresh := entry{key: s.rest[0], value: nested(s.rest[1:], value)}
		if below.IsFlowStyle {
			d.intoFlow(below.End, quoted(fresh.key, "")+": "+flow(fresh.value, ""))
			return nil
		}
		return d.append(below, fresh)
	case s.entry == nil:
		return d.create(nested(s.rest, value))
	}
	return d.put(s, nested(s.rest, value))
}

// append puts an entry behind the last one of a map.
func (d *document) append(into *ast.MappingNode, fresh entry) error {
	lastEntry := into.Values[len(into.Values)-1]
	key := d.position(lastEntry.Key.GetToken())
	if strings.TrimSpace(d.text(key.line)[:key.at]) != "" || key.line != d.position(lastEntry.Start).line {
		return fault.Newf(fault.Conflict, "change "+d.file, "line %d: the keys there are written in an unusual way", key.line).
			WithHint("put %s there by hand: %s", shown(fresh.key), fresh.value)
	}
	d.insert(d.last(key.line, key.at, true), d.style().pair(fresh, key.at)...)
	return nil
}

// create writes the first keys of a document: the lists of classes and applications stand in front of the parameters
// where all are made one after the other.
func (d *document) create(value *node) error {
	if d.root != nil { // {} or null
		s := d.spanOf(d.root, true)
		if missing(d.root) && !d.writes(s.from) {
			s.to = s.from
		}
		d.replace(s, "")
		if d.lines[s.from.line-1].text == "" {
			d.remove(s.from.line, s.from.line)
			s.from.line--
		}
		d.insert(s.from.line, d.keys(value)...)
		return nil
	}
	at := len(d.lines)
	for at > 0 && d.text(at) == "..." {
		at--
	}
	d.insert(at, d.keys(value)...)
	return nil
}

// keys is a map as the lines of a document.
func (d *document) keys(value *node) (lines []string) {
	for _, each := range value.entries {
		lines = append(lines, d.style().pair(each, 0)...)
	}
	return lines
}

// put puts a value in the place of an entry's.
func (d *document) put(s spot, value *node) error {
	if s.inFlow {
		place := d.value(s.entry, true)
		d.replace(place, d.spaced(place, flow(value, d.start(place))))
		return nil
	}
	key := d.position(s.entry.Key.GetToken())
	place, last := d.value(s.entry, false), d.last(key.line, key.at, isSequence(s.value))
	like := ""
	if place.from.line > key.line { // it stands below its key
		place = span{}
	} else {
		like = d.start(place)
	}
	inline, below := d.style().block(value, key.at, like)
	d.behindKey(s.entry, place, last, inline)
	d.insert(key.line, below...)
	return nil
}

// behindKey puts a text behind a key, and takes away what the old value had in lines below it.
func (d *document) behindKey(e *ast.MappingValueNode, place span, last int, inline string) {
	line := d.position(e.Start).line
	if place == (span{}) {
		colon := d.position(e.Start)
		place = span{position{colon.line, colon.at + 1}, position{colon.line, colon.at + 1}}
	}
	if place.to.line > line { // quotes or brackets over several lines, with what is behind them
		last -= place.to.line - line
	}
	if inline == "" {
		for place.from.at > 0 && strings.HasSuffix(d.text(line)[:place.from.at], " ") {
			place.from.at--
		}
	}
	d.replace(place, d.spaced(place, inline))
	if last > line { // a file whose last line has no end keeps that
		if d.lines[last-1].end == "" {
			d.lines[line-1].end = ""
		}
		d.remove(line+1, last)
	}
}

// spaced puts a space between a colon and a value.
func (d *document) spaced(place span, text string) string {
	head := d.text(place.from.line)[:place.from.at]
	if text != "" && strings.HasSuffix(head, ":") {
		return " " + text
	}
	return text
}

// start is the first line of what a span holds.
func (d *document) start(s span) string { return d.text(s.from.line)[s.from.at:] }

func isSequence(n ast.Node) bool {
	_, is := n.(*ast.SequenceNode)
	return is
}

// style finds how this document indents.
func (d *document) style() style {
	found := style{inline: d.inline}
	d.indents(d.root, -1, &found)
	if found.step == 0 {
		found.step = 2
	}
	if found.dash < 0 || !found.seen {
		found.dash = found.step
	}
	return found
}

// indents looks at the first map below a key, and at the first list.
func (d *document) indents(n ast.Node, above int, found *style) {
	switch n := n.(type) {
	case *ast.MappingNode:
		for _, each := range n.Values {
			d.indents(each, above, found)
		}
	case *ast.MappingValueNode:
		own := n.Key.GetToken().Position.Column
		if above >= 0 && own > above && found.step == 0 {
			found.step = own - above
		}
		switch below := n.Value.(type) {
		case *ast.MappingNode:
			if !below.IsFlowStyle {
				d.indents(below, own, found)
			}
		case *ast.SequenceNode:
			if !below.IsFlowStyle && !found.seen {
				found.seen, found.dash = true, below.Start.Position.Column-own
			}
		}
	}
}
