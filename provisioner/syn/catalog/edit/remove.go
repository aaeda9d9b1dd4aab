package edit

import (
	"strings"

	"exoshift/internal/fault"

	"github.com/goccy/go-yaml/ast"
)

// removeEntry leaves an empty map if it removes the last key.
func (d *document) removeEntry(s location) error {
	if s.owner.IsFlowStyle {
		d.removeFromFlow(d.findPairSpan(s.entry))
		return nil
	}
	key := d.findPosition(s.entry.Key.GetToken())
	last := d.findLast(key.line, key.at, isSequence(s.value))
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
	d.setKeyText(s.above, span{}, 0, "{}")
	return nil
}

func (d *document) addItem(s location, item string) error {
	list := s.value.(*ast.SequenceNode)
	if list.IsFlowStyle {
		d.insertIntoFlow(list.End, quoteString(item, ""))
		return nil
	}
	dash := d.findPosition(list.Start)
	end := d.findLast(d.findPosition(s.entry.Key.GetToken()).line, dash.at, true)
	d.insert(end, d.lineText(dash.line)[:dash.at]+"- "+quoteString(item, ""))
	return nil
}

// removeItem removes every occurrence of the item. It leaves an empty list if it removes the last item.
func (d *document) removeItem(s location, item string) error {
	list := s.value.(*ast.SequenceNode)
	var gone []ast.Node
	for _, each := range list.Values {
		if matchItem(item)(newModel(each)) {
			gone = append(gone, each)
		}
	}
	for i := len(gone) - 1; i >= 0; i-- {
		if list.IsFlowStyle {
			d.removeFromFlow(d.findSpan(gone[i], true))
			continue
		}
		if err := d.removeLine(list, gone[i]); err != nil {
			return err
		}
	}
	if len(gone) == len(list.Values) && !list.IsFlowStyle {
		d.setKeyText(s.entry, span{}, 0, "[]")
	}
	return nil
}

func (d *document) removeLine(list *ast.SequenceNode, item ast.Node) error {
	at, dash := d.findPosition(item.GetToken()), list.Start.Position.Column-1
	head := d.lineText(at.line)[:at.at]
	if strings.TrimSpace(head) != "-" || countIndent(head) != dash {
		return fault.Newf(fault.Conflict, "change "+d.file, "line %d: the list there is written in an unusual way", at.line).
			WithHint("take %q away by hand", sanitize(getText(item)))
	}
	d.remove(at.line, d.findLast(at.line, dash, false))
	return nil
}
