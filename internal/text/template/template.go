// Package template renders templates of text/template's syntax. It calls functions, but no methods of what it renders: a
// program that may call any method by its name keeps every method of every type it has, which was 11 MB of this one.
package template

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"text/template/parse"
)

// Functions are what a template calls, by name. Each returns a value, or a value and an error. The functions print, index, eq
// and or of text/template are there without being given.
type Functions map[string]any

// Render executes a template over data: structs, maps by string, slices and values, which are formatted as by fmt.Sprint. A
// missing key of a map is an error. It knows fields, $, calls in parentheses, if, range and with; variables and pipes are errors.
func Render(text string, data any, functions Functions) (string, error) {
	all := map[string]any{"print": fmt.Sprint, "index": index, "eq": func(a, b any) bool { return a == b }, "or": or}
	maps.Copy(all, functions)
	trees, err := parse.Parse("", text, "{{", "}}", all)
	if err != nil {
		return "", err
	}
	r := renderer{root: reflect.ValueOf(data), functions: all}
	if tree := trees[""]; tree != nil {
		err = r.renderList(tree.Root, r.root)
	}
	return r.out.String(), err
}

func index(from map[string]any, key string) any { return from[key] }

func or(first any, others ...any) any {
	for _, other := range others {
		if isTrue(reflect.ValueOf(first)) {
			break
		}
		first = other
	}
	return first
}

type renderer struct {
	root      reflect.Value
	functions map[string]any
	out       strings.Builder
}

func (r *renderer) renderList(list *parse.ListNode, dot reflect.Value) error {
	if list == nil {
		return nil
	}
	for _, node := range list.Nodes {
		if err := r.render(node, dot); err != nil {
			return err
		}
	}
	return nil
}

func (r *renderer) render(node parse.Node, dot reflect.Value) error {
	switch node := node.(type) {
	case *parse.TextNode:
		r.out.Write(node.Text)
		return nil
	case *parse.CommentNode:
		return nil
	case *parse.ActionNode:
		value, err := r.evaluate(node.Pipe, dot)
		if err == nil && value.IsValid() {
			_, _ = fmt.Fprint(&r.out, value.Interface())
		}
		return err
	case *parse.IfNode:
		return r.renderBranch(&node.BranchNode, dot, func(reflect.Value) error { return r.renderList(node.List, dot) })
	case *parse.WithNode:
		return r.renderBranch(&node.BranchNode, dot, func(value reflect.Value) error { return r.renderList(node.List, value) })
	case *parse.RangeNode:
		return r.renderBranch(&node.BranchNode, dot, func(value reflect.Value) error {
			if value.Kind() != reflect.Slice {
				return fmt.Errorf("range over %s", value.Kind())
			}
			for i := range value.Len() {
				if err := r.renderList(node.List, indirect(value.Index(i))); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return fmt.Errorf("%s is not supported", node)
}

func (r *renderer) renderBranch(branch *parse.BranchNode, dot reflect.Value, then func(reflect.Value) error) error {
	value, err := r.evaluate(branch.Pipe, dot)
	if err != nil {
		return err
	}
	if !isTrue(value) {
		return r.renderList(branch.ElseList, dot)
	}
	return then(indirect(value))
}

// evaluate returns the zero Value for nil.
func (r *renderer) evaluate(node parse.Node, dot reflect.Value) (reflect.Value, error) {
	switch node := node.(type) {
	case *parse.PipeNode:
		if len(node.Cmds) != 1 || len(node.Decl) != 0 {
			return reflect.Value{}, fmt.Errorf("%s: variables and pipes are not supported", node)
		}
		return r.call(node.Cmds[0].Args, dot)
	case *parse.DotNode:
		return dot, nil
	case *parse.FieldNode:
		return findField(dot, node.Ident)
	case *parse.VariableNode: // $, as no others are declared
		return findField(r.root, node.Ident[1:])
	case *parse.StringNode:
		return reflect.ValueOf(node.Text), nil
	case *parse.NumberNode:
		return reflect.ValueOf(int(node.Int64)), nil
	case *parse.IdentifierNode:
		return r.call([]parse.Node{node}, dot)
	}
	return reflect.Value{}, fmt.Errorf("%s is not supported", node)
}

// call returns the value of a single operand, or that of a function called with the others.
func (r *renderer) call(operands []parse.Node, dot reflect.Value) (reflect.Value, error) {
	name, ok := operands[0].(*parse.IdentifierNode)
	if !ok {
		if len(operands) > 1 {
			return reflect.Value{}, fmt.Errorf("%s is no function", operands[0])
		}
		return r.evaluate(operands[0], dot)
	}
	function := reflect.ValueOf(r.functions[name.Ident])
	var arguments []reflect.Value
	for i, operand := range operands[1:] {
		value, err := r.evaluate(operand, dot)
		if err != nil {
			return reflect.Value{}, err
		}
		want, err := parameterType(function.Type(), i)
		switch {
		case err == nil && !value.IsValid():
			value = reflect.Zero(want)
		case err == nil && !value.Type().AssignableTo(want):
			err = fmt.Errorf("expected %s, got %s", want, value.Type())
		}
		if err != nil {
			return reflect.Value{}, fmt.Errorf("error calling %s: %w", name, err)
		}
		arguments = append(arguments, value)
	}
	if few := function.Type().NumIn() - len(arguments); few > 1 || few == 1 && !function.Type().IsVariadic() {
		return reflect.Value{}, fmt.Errorf("error calling %s: too few arguments", name)
	}
	results := function.Call(arguments)
	if len(results) == 2 && !results[1].IsNil() {
		return reflect.Value{}, fmt.Errorf("error calling %s: %w", name, results[1].Interface().(error))
	}
	return indirect(results[0]), nil
}

func parameterType(function reflect.Type, i int) (reflect.Type, error) {
	switch last := function.NumIn() - 1; {
	case function.IsVariadic() && i >= last:
		return function.In(last).Elem(), nil
	case i > last:
		return nil, errors.New("too many arguments")
	}
	return function.In(i), nil
}

func findField(value reflect.Value, names []string) (reflect.Value, error) {
	for _, name := range names {
		var found reflect.Value
		switch value.Kind() {
		case reflect.Map:
			if found = value.MapIndex(reflect.ValueOf(name)); !found.IsValid() {
				return found, fmt.Errorf("map has no entry for key %q", name)
			}
		case reflect.Struct:
			found = value.FieldByName(name)
		}
		if !found.IsValid() {
			return found, fmt.Errorf("can't evaluate field %s", name)
		}
		value = indirect(found)
	}
	return value, nil
}

// indirect returns what an interface or a pointer holds.
func indirect(value reflect.Value) reflect.Value {
	for value.Kind() == reflect.Interface || value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	return value
}

// isTrue is as in text/template: zero values and what is empty are false, structs are true.
func isTrue(value reflect.Value) bool {
	switch value.Kind() {
	case reflect.Invalid:
		return false
	case reflect.Struct:
		return true
	case reflect.Map, reflect.Slice:
		return value.Len() > 0
	}
	return !value.IsZero()
}
