package cel

import (
	"fmt"
	"strings"
)

// checker infers static types, as far as variables have some, and refuses what could never be evaluated.
type checker struct {
	functions  map[string][]overload
	known      substitutions
	parameters int // how many there are
	scope      *typeScope
	fault      error // the first one
}

// typeScope has the type of a name; the innermost scope counts.
type typeScope struct {
	name  string
	typ   staticType
	outer *typeScope
}

func check(root *node, variables Variables) error {
	c := checker{functions: parseSignatures(), known: substitutions{}}
	for name, typ := range variables {
		declared := staticType{kind: stringKind}
		if typ == Object {
			declared = mapOf(staticType{kind: stringKind}, staticType{kind: dynKind})
		}
		c.scope = &typeScope{name: name, typ: declared, outer: c.scope}
	}
	c.check(root)
	return c.fault
}

func (c *checker) fail(n *node, format string, args ...any) staticType {
	if c.fault == nil {
		c.fault = fmt.Errorf("at %d: %s", n.position, fmt.Sprintf(format, args...))
	}
	return staticType{kind: dynKind}
}

func (c *checker) newParameter() staticType {
	c.parameters++
	return staticType{kind: parameterKind, number: c.parameters}
}

func (c *checker) unify(a, b staticType) bool {
	return c.known.unify([]staticType{a}, []staticType{b})
}

func (c *checker) check(n *node) staticType {
	switch n.kind {
	case literalNode:
		return staticType{kind: typeOf(n.value)}
	case variableNode:
		return c.checkVariable(n)
	case fieldNode:
		return c.checkField(n)
	case hasNode:
		c.checkField(n)
		return staticType{kind: boolKind}
	case listNode:
		return listOf(c.join(n.args, 0, 1))
	case mapNode:
		key := c.join(n.args, 0, 2)
		return mapOf(key, c.join(n.args, 1, 2))
	case loopNode:
		return c.checkLoop(n)
	default:
		return c.checkCall(n)
	}
}

func (c *checker) checkVariable(n *node) staticType {
	for s := c.scope; s != nil; s = s.outer {
		if s.name == n.name {
			return s.typ
		}
	}
	if isTypeName(n.name) {
		n.kind, n.value = literalNode, kind(n.name)
		return staticType{kind: typeKind}
	}
	return c.fail(n, "undeclared reference to '%s'", n.name)
}

// isTypeName reports whether a name is a type, which is a value, too.
func isTypeName(name string) bool {
	switch kind(name) {
	case nullKind, boolKind, intKind, uintKind, doubleKind, stringKind, bytesKind, timestampKind, durationKind, listKind, mapKind, typeKind:
		return true
	}
	return false
}

func (c *checker) checkField(n *node) staticType {
	if name, ok := joinNames(n); ok && isTypeName(name) && n.kind == fieldNode {
		n.kind, n.value = literalNode, kind(name)
		return staticType{kind: typeKind}
	}
	of := c.known.resolve(c.check(n.args[0]))
	switch of.kind {
	case mapKind:
		return c.known.resolve(of.args[1])
	case parameterKind:
		c.unify(staticType{kind: dynKind}, of)
	case dynKind:
	default:
		return c.fail(n, "type '%s' does not support field selection", of)
	}
	return staticType{kind: dynKind}
}

// joinNames returns the name that fields of a variable make, as google.protobuf.Timestamp.
func joinNames(n *node) (string, bool) {
	if n.kind == variableNode {
		return n.name, true
	}
	if n.kind != fieldNode {
		return "", false
	}
	outer, ok := joinNames(n.args[0])
	return outer + "." + n.name, ok
}

// join returns the most general type of every so many of some expressions: dyn if they do not have one.
func (c *checker) join(items []*node, first, every int) staticType {
	if first >= len(items) {
		return c.newParameter()
	}
	joined := c.check(items[first])
	for i := first + every; i < len(items); i += every {
		next := c.check(items[i])
		if c.unify(joined, next) {
			joined = mostGeneral(joined, next)
		} else {
			joined = staticType{kind: dynKind}
		}
	}
	return joined
}

func (c *checker) checkLoop(n *node) staticType {
	over := c.known.resolve(c.check(n.loop.over))
	total := c.check(n.loop.initial)
	item := staticType{kind: dynKind}
	switch over.kind {
	case listKind, mapKind:
		item = over.args[0]
	case dynKind, parameterKind:
		c.unify(item, over)
	default:
		return c.fail(n, "expression of type '%s' cannot be range of a comprehension (must be list, map, or dynamic)", over)
	}
	outer := c.scope
	withTotal := &typeScope{name: accumulator, typ: total, outer: outer}
	c.scope = &typeScope{name: n.name, typ: item, outer: withTotal}
	if !c.unify(staticType{kind: boolKind}, c.check(n.loop.condition)) {
		c.fail(n, "the condition of a loop has to be a bool")
	}
	if step := c.check(n.loop.step); !c.unify(total, step) {
		c.fail(n, "expected type '%s' but found '%s'", c.known.resolve(total), c.known.resolve(step))
	}
	c.scope = withTotal
	result := c.known.resolve(c.check(n.loop.result))
	c.scope = outer
	return result
}

func (c *checker) checkCall(n *node) staticType {
	var args []staticType
	for _, arg := range n.args {
		args = append(args, c.check(arg))
	}
	overloads := c.functions[n.name]
	if overloads == nil {
		return c.fail(n, "undeclared reference to '%s'", n.name)
	}
	var result *staticType
	for _, o := range overloads {
		if o.member != n.member {
			continue
		}
		params, returns := c.instantiate(o)
		if !c.known.unify(args, params) {
			continue
		}
		resolved := c.known.resolve(returns)
		switch {
		case result == nil:
			result = &resolved
		case result.kind != dynKind && !resolved.equals(*result):
			result = &staticType{kind: dynKind}
		}
	}
	if result == nil {
		var found []string
		for _, arg := range args {
			found = append(found, c.known.resolve(arg).String())
		}
		return c.fail(n, "found no matching overload for '%s' applied to '(%s)'", n.name, strings.Join(found, ", "))
	}
	return *result
}

// instantiate returns the types of an overload, with parameters of its own.
func (c *checker) instantiate(o overload) (params []staticType, result staticType) {
	fresh := substitutions{}
	for number := 1; number <= parametersOfOverload; number++ {
		fresh[-number] = c.newParameter()
	}
	for _, param := range o.params {
		params = append(params, fresh.resolve(param))
	}
	return params, fresh.resolve(o.result)
}

// String returns the type as the language writes it.
func (t staticType) String() string {
	if len(t.args) == 0 {
		if t.kind == parameterKind {
			return string(dynKind)
		}
		return string(t.kind)
	}
	var args []string
	for _, arg := range t.args {
		args = append(args, arg.String())
	}
	return string(t.kind) + "(" + strings.Join(args, ", ") + ")"
}
