package cel

import (
	"errors"
	"fmt"
)

// scope has the value of a name; the innermost scope counts.
type scope struct {
	name  string
	value any
	fault error // the value of an accumulator that could not be computed
	outer *scope
}

func (s *scope) evaluate(n *node) (any, error) {
	switch n.kind {
	case literalNode:
		return n.value, nil
	case variableNode:
		return s.resolve(n.name)
	case fieldNode, hasNode:
		return s.evaluateField(n)
	case listNode:
		return s.evaluateAll(n.args)
	case mapNode:
		return s.evaluateMap(n)
	case loopNode:
		return s.evaluateLoop(n)
	default:
		return s.evaluateCall(n)
	}
}

func (s *scope) resolve(name string) (any, error) {
	for ; s != nil; s = s.outer {
		if s.name == name {
			return s.value, s.fault
		}
	}
	return nil, fmt.Errorf("no such attribute: %s", name)
}

func (s *scope) evaluateField(n *node) (any, error) {
	of, err := s.evaluate(n.args[0])
	if err != nil {
		return nil, err
	}
	fields, ok := of.(*dictionary)
	if _, isList := of.([]any); n.kind == hasNode && !ok && !isList {
		return false, nil
	}
	if !ok {
		return nil, errNoOverload
	}
	value, found := fields.find(n.name)
	switch {
	case n.kind == hasNode:
		return found, nil
	case !found:
		return nil, fmt.Errorf("no such key: %s", n.name)
	}
	return value, nil
}

func (s *scope) evaluateAll(nodes []*node) ([]any, error) {
	values := make([]any, len(nodes))
	for i, n := range nodes {
		value, err := s.evaluate(n)
		if err != nil {
			return nil, err
		}
		values[i] = value
	}
	return values, nil
}

func (s *scope) evaluateMap(n *node) (any, error) {
	entries, err := s.evaluateAll(n.args)
	if err != nil {
		return nil, err
	}
	made := newDictionary()
	for i := 0; i < len(entries); i += 2 {
		if err := made.set(entries[i], entries[i+1]); err != nil {
			return nil, err
		}
	}
	return made, nil
}

func (s *scope) evaluateLoop(n *node) (any, error) {
	over, err := s.evaluate(n.loop.over)
	if err != nil {
		return nil, err
	}
	items, ok := over.([]any)
	if d, isMap := over.(*dictionary); isMap {
		items, ok = d.keys, true
	}
	if !ok {
		return nil, errNoOverload
	}
	total := &scope{name: accumulator, outer: s}
	total.value, total.fault = s.evaluate(n.loop.initial)
	for _, item := range items {
		inner := &scope{name: n.name, value: item, outer: total}
		if goesOn, err := inner.evaluate(n.loop.condition); err != nil || goesOn != true {
			break
		}
		total.value, total.fault = inner.evaluate(n.loop.step)
	}
	return total.evaluate(n.loop.result)
}

func (s *scope) evaluateCall(n *node) (any, error) {
	switch n.name {
	case "_&&_":
		return s.evaluateLogic(n, false)
	case "_||_":
		return s.evaluateLogic(n, true)
	case "_?_:_":
		condition, err := s.evaluate(n.args[0])
		if err != nil {
			return nil, err
		}
		switch condition {
		case true:
			return s.evaluate(n.args[1])
		case false:
			return s.evaluate(n.args[2])
		}
		return nil, errNoOverload
	case "@not_strictly_false":
		value, err := s.evaluate(n.args[0])
		return err != nil || value != false, nil
	}
	args, err := s.evaluateAll(n.args)
	if err != nil {
		return nil, err
	}
	return apply(n.name, args)
}

// evaluateLogic evaluates a conjunction or disjunction: an operand that decides alone does so even if the other one is an error.
func (s *scope) evaluateLogic(n *node, decides bool) (any, error) {
	var faults []error
	for _, arg := range n.args {
		value, err := s.evaluate(arg)
		if _, ok := value.(bool); !ok && err == nil {
			err = errNoOverload
		}
		if err == nil && value == decides {
			return decides, nil
		}
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return !decides, nil
}
