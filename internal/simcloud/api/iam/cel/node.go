package cel

// node is a part of an expression.
type node struct {
	kind     nodeKind
	position int
	value    any     // of a literal
	name     string  // of a variable, field or function; the variable of a loop
	member   bool    // the first argument of the function is before its name
	args     []*node // arguments, items, keys followed by their values, what a field is of
	loop     *loop
}

type nodeKind int

const (
	literalNode nodeKind = iota
	variableNode
	fieldNode // of args[0]
	hasNode   // whether args[0] has the field
	callNode
	listNode
	mapNode
	loopNode
)

// loop is what a macro means: result is computed from the accumulator after all items of a range, or as soon as the condition does
// not hold.
type loop struct {
	over, initial, condition, step, result *node
}

// accumulator is the name of a loop's accumulator, which no expression can contain.
const accumulator = "@result"

func call(name string, args ...*node) *node {
	return &node{kind: callNode, name: name, args: args, position: args[0].position}
}

func literal(value any, position int) *node {
	return &node{kind: literalNode, value: value, position: position}
}

// expandMacro returns what a call of a macro means; ok is false for other calls.
func expandMacro(name string, target *node, args []*node) (expanded *node, fault string, ok bool) {
	if target == nil {
		if name != "has" || len(args) != 1 {
			return nil, "", false
		}
		if args[0].kind != fieldNode {
			return nil, "invalid argument to has() macro", true
		}
		field := *args[0]
		field.kind = hasNode
		return &field, "", true
	}
	made, ok := newLoop(name, target, args)
	if !ok {
		return nil, "", false
	}
	if args[0].kind != variableNode {
		return nil, "argument is not an identifier", true
	}
	return &node{kind: loopNode, name: args[0].name, loop: made, position: target.position}, "", true
}

func newLoop(name string, over *node, args []*node) (*loop, bool) {
	at := over.position
	result := &node{kind: variableNode, name: accumulator, position: at}
	l := &loop{over: over, condition: literal(true, at), result: result}
	keep := func(item *node) *node {
		return call("_+_", result, &node{kind: listNode, args: []*node{item}, position: at})
	}
	switch {
	case name == "all" && len(args) == 2:
		l.initial, l.condition, l.step = literal(true, at), call("@not_strictly_false", result), call("_&&_", result, args[1])
	case name == "exists" && len(args) == 2:
		l.initial, l.condition, l.step = literal(false, at), call("@not_strictly_false", call("!_", result)), call("_||_", result, args[1])
	case name == "exists_one" && len(args) == 2:
		l.initial, l.step = literal(int64(0), at), call("_?_:_", args[1], call("_+_", result, literal(int64(1), at)), result)
		l.result = call("_==_", result, literal(int64(1), at))
	case name == "map" && len(args) == 2:
		l.initial, l.step = &node{kind: listNode, position: at}, keep(args[1])
	case name == "map" && len(args) == 3:
		l.initial, l.step = &node{kind: listNode, position: at}, call("_?_:_", args[1], keep(args[2]), result)
	case name == "filter" && len(args) == 2:
		l.initial, l.step = &node{kind: listNode, position: at}, call("_?_:_", args[1], keep(args[0]), result)
	default:
		return nil, false
	}
	return l, true
}
