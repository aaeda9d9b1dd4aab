package edit

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// removeEntry leaves an empty map if it removes the last key.
func (w writer) removeEntry(s location) error {
	if s.owner.IsFlowStyle {
		w.removeFromFlow(w.findPairSpan(s.entry))
		return nil
	}
	key := w.findPosition(s.entry.Key.GetToken())
	last := w.findLast(key.line, key.at, isSequence(s.value))
	if len(s.owner.Values) > 1 {
		w.remove(key.line, last)
		return nil
	}
	if s.above == nil {
		w.remove(key.line, last)
		w.insert(key.line-1, "{}")
		return nil
	}
	w.remove(key.line, last)
	w.setKeyText(s.above, span{}, 0, "{}")
	return nil
}

func (w writer) addItem(s location, item string) error {
	list := s.value.(*ast.SequenceNode)
	if list.IsFlowStyle {
		w.insertIntoFlow(list.End, quoteString(item, ""))
		return nil
	}
	dash := w.findPosition(list.Start)
	end := w.findLast(w.findPosition(s.entry.Key.GetToken()).line, dash.at, true)
	w.insert(end, w.lineText(dash.line)[:dash.at]+"- "+quoteString(item, ""))
	return nil
}

// removeItem removes every occurrence of the item. It leaves an empty list if it removes the last item.
func (w writer) removeItem(s location, item string) error {
	list := s.value.(*ast.SequenceNode)
	var gone []ast.Node
	for _, each := range list.Values {
		if matchItem(item)(newModel(each)) {
			gone = append(gone, each)
		}
	}
	for i := len(gone) - 1; i >= 0; i-- {
		if list.IsFlowStyle {
			w.removeFromFlow(w.findSpan(gone[i], true))
			continue
		}
		if err := w.removeLine(list, gone[i]); err != nil {
			return err
		}
	}
	if len(gone) == len(list.Values) && !list.IsFlowStyle {
		w.setKeyText(s.entry, span{}, 0, "[]")
	}
	return nil
}

func (w writer) removeLine(list *ast.SequenceNode, item ast.Node) error {
	at, dash := w.findPosition(item.GetToken()), list.Start.Position.Column-1
	head := w.lineText(at.line)[:at.at]
	if strings.TrimSpace(head) != "-" || countIndent(head) != dash {
		return w.newConflict(at.line, "the list there has an unusual form").
			WithHint("remove %q manually", sanitize(getText(item)))
	}
	w.remove(at.line, w.findLast(at.line, dash, false))
	return nil
}
