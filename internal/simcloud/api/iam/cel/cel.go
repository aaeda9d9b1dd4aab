// Package cel compiles and evaluates expressions of the Common Expression Language, in which rules of policies are written: its
// syntax, static types, standard macros and functions. Messages of protobuf, the extensions and the optional types are not part of
// it. Tests hold it against Google's implementation, which would make the program 5 MB larger.
package cel

// Variables are the names that an expression may use, with their types.
type Variables map[string]Type

// Type is the static type of a variable.
type Type int

// Types of variables.
const (
	String Type = iota
	Object      // fields by name, of any type
)

// Program is a compiled expression. It is safe for concurrent use.
type Program struct{ root *node }

// Compile parses an expression and checks its types. The error says what is wrong with it, and where.
func Compile(expression string, variables Variables) (*Program, error) {
	tokens, err := scan(expression)
	if err != nil {
		return nil, err
	}
	p := parser{tokens: tokens}
	root, err := p.parse()
	if err != nil {
		return nil, err
	}
	return &Program{root: root}, check(root, variables)
}

// Evaluate returns the value of the expression; values of variables are those that encoding/json makes. What cannot be evaluated,
// for example because a field is missing, is an error.
func (p *Program) Evaluate(values map[string]any) (any, error) {
	s := &scope{}
	for name, value := range values {
		s = &scope{name: name, value: fromJSON(value), outer: s}
	}
	return s.evaluate(p.root)
}
