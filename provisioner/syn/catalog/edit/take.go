package edit

import (
	"strings"

	"exoshift/internal/fault"

	"github.com/goccy/go-yaml/ast"
)

// removeEntry takes a key away with its value. A map that loses its last key stays, empty.
func (d *document) removeEntry(s spot) error {
	if s.owner.IsFlowStyle {
		d.outOfFlow(d.pairSpan(s.entry))
		return nil
	}
	key := d.position(s.entry.Key.GetToken())
	last := d.last(key.line, key.at, isSequence(s.value))
	if len(s.owner.Values) > 1 {
		d.remove(key.line, last)
		return nil
	}
	if s.above == nil {
		d.remove(key.line, last)
		d.insert(key.line-1, "{}")
		return nil
	}
	d.remove(key.line, last)
	d.behindKey(s.above, span{}, 0, "{}")
	return nil
}

// addItem puts an item behind the last one of a list.
func (d *document) addItem(s spot, item string) error {
	list := s.value.(*ast.SequenceNode)
	if list.IsFlowStyle {
		d.intoFlow(list.End, quoted(item, ""))
		return nil
	}
	dash := d.position(list.Start)
	end := d.last(d.position(s.entry.Key.GetToken()).line, dash.at, true)
	d.insert(end, d.text(dash.line)[:dash.at]+"- "+quoted(item, ""))
	return nil
}

// removeItem takes an item out of a list, each time that it is there. A list that loses its last item stays, empty.
func (d *document) removeItem(s spot, item string) error {
	list := s.value.(*ast.SequenceNode)
	var gone []ast.Node
	for _, each := range list.Values {
		if is(item)(modelOf(each)) {
			gone = append(gone, each)
		}
	}
	for i := len(gone) - 1; i >= 0; i-- {
		if list.IsFlowStyle {
			d.outOfFlow(d.spanOf(gone[i], true))
			continue
		}
		if err := d.removeLine(list, gone[i]); err != nil {
			return err
		}
	}
	if len(gone) == len(list.Values) && !list.IsFlowStyle {
		d.behindKey(s.entry, span{}, 0, "[]")
	}
	return nil
}

// removeLine takes away an item that has a line, or several, of its own.
func (d *document) removeLine(list *ast.SequenceNode, item ast.Node) error {
	at, dash := d.position(item.GetToken()), list.Start.Position.Column-1
	head := d.text(at.line)[:at.at]
	if strings.TrimSpace(head) != "-" || indentOf(head) != dash {
		return fault.Newf(fault.Conflict, "change "+d.file, "line %d: the list there is written in an unusual way", at.line).
			WithHint("take %q away by hand", shown(textOf(item)))
	}
	d.remove(at.line, d.last(at.line, dash, false))
	return nil
}
