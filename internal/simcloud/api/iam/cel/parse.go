package cel

import (
	"fmt"
	"slices"
)

// maxDepth is how deep expressions may be nested, as in Google's implementation.
const maxDepth = 250

// parser parses by recursive descent, by the grammar of the language's specification.
type parser struct {
	tokens []token // the last one is the end
	depth  int
	fault  error // the first one
}

func (p *parser) parse() (*node, error) {
	root := p.parseExpression()
	if p.fault == nil && p.peek().kind != end {
		p.failUnexpected()
	}
	return root, p.fault
}

func (p *parser) peek() token { return p.tokens[0] }

func (p *parser) next() token {
	t := p.tokens[0]
	if t.kind != end {
		p.tokens = p.tokens[1:]
	}
	return t
}

// fail notes the first fault, and goes to the end, where nothing is parsed any more.
func (p *parser) fail(format string, args ...any) *node {
	if p.fault == nil {
		p.fault = fmt.Errorf("at %d: %s", p.peek().position, fmt.Sprintf(format, args...))
	}
	p.tokens = p.tokens[len(p.tokens)-1:]
	return literal(nil, p.peek().position)
}

func (p *parser) accept(contents ...string) (string, bool) {
	t := p.peek()
	if (t.kind == symbol || t.kind == identifier && t.content == "in") && slices.Contains(contents, t.content) {
		p.next()
		return t.content, true
	}
	return "", false
}

func (p *parser) expect(content string) {
	if _, ok := p.accept(content); !ok {
		p.failUnexpected()
	}
}

func (p *parser) failUnexpected() *node {
	if p.peek().kind == end {
		return p.fail("syntax error: unexpected end")
	}
	return p.fail("syntax error: unexpected %q", p.peek().content)
}

func (p *parser) parseExpression() *node {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		return p.fail("expression is nested deeper than %d", maxDepth)
	}
	condition := p.parseBinary(0)
	if _, ok := p.accept("?"); !ok {
		return condition
	}
	yes := p.parseBinary(0)
	p.expect(":")
	return call("_?_:_", condition, yes, p.parseExpression())
}

// parseBinary parses the operators of a precedence and of those that bind closer.
func (p *parser) parseBinary(precedence int) *node {
	precedences := [][]string{{"||"}, {"&&"}, {"<", "<=", ">=", ">", "==", "!=", "in"}, {"+", "-"}, {"*", "/", "%"}}
	if precedence == len(precedences) {
		return p.parseUnary()
	}
	left := p.parseBinary(precedence + 1)
	for {
		operator, ok := p.accept(precedences[precedence]...)
		if !ok {
			return left
		}
		if operator == "in" {
			operator = "@in"
		} else {
			operator = "_" + operator + "_"
		}
		left = call(operator, left, p.parseBinary(precedence+1))
	}
}

// parseUnary parses signs and negations: several of one kind, never both kinds.
func (p *parser) parseUnary() *node {
	operator, count := p.peek(), 0
	if operator.kind != symbol || operator.content != "!" && operator.content != "-" {
		return p.parseMember()
	}
	for !p.isSignOfNumber() {
		if _, ok := p.accept(operator.content); !ok {
			break
		}
		count++
	}
	operand := p.parseMember()
	if count%2 == 0 {
		return operand
	}
	return call(operator.content+"_", operand)
}

func (p *parser) isSignOfNumber() bool {
	t := p.peek()
	return t.kind == symbol && t.content == "-" && (p.tokens[1].kind == integer || p.tokens[1].kind == floating)
}

func (p *parser) parseMember() *node {
	n := p.parsePrimary()
	for {
		if _, ok := p.accept("["); ok {
			n = call("_[_]", n, p.parseExpression())
			p.expect("]")
			continue
		}
		if _, ok := p.accept("."); !ok {
			return n
		}
		name := p.next()
		if name.kind != identifier || isKeyword(name.content) {
			return p.fail("syntax error: %q is not the name of a field", name.content)
		}
		if _, ok := p.accept("("); ok {
			n = p.parseCall(name, n)
		} else {
			n = &node{kind: fieldNode, name: name.content, args: []*node{n}, position: name.position}
		}
	}
}

// parseCall parses the arguments of a function or macro, after the parenthesis.
func (p *parser) parseCall(name token, target *node) *node {
	args := p.parseList(")", false)
	if p.fault != nil {
		return literal(nil, name.position)
	}
	expanded, fault, ok := expandMacro(name.content, target, args)
	switch {
	case fault != "":
		return p.fail("%s", fault)
	case ok:
		return expanded
	case target != nil:
		args = slices.Insert(args, 0, target)
	}
	return &node{kind: callNode, name: name.content, member: target != nil, args: args, position: name.position}
}

// parseList parses expressions up to the symbol that closes them.
func (p *parser) parseList(closing string, trailingComma bool) (items []*node) {
	if _, ok := p.accept(closing); ok {
		return nil
	}
	for p.fault == nil {
		items = append(items, p.parseExpression())
		if _, ok := p.accept(closing); ok {
			return items
		}
		p.expect(",")
		if _, ok := p.accept(closing); ok && trailingComma {
			return items
		} else if ok {
			p.failUnexpected()
		}
	}
	return items
}

func (p *parser) parsePrimary() *node {
	at := p.peek().position
	if _, ok := p.accept("("); ok {
		inner := p.parseExpression()
		p.expect(")")
		return inner
	}
	if _, ok := p.accept("["); ok {
		if _, ok := p.accept(","); ok { // a comma alone is an empty list
			p.expect("]")
			return &node{kind: listNode, position: at}
		}
		return &node{kind: listNode, args: p.parseList("]", true), position: at}
	}
	if _, ok := p.accept("{"); ok {
		return &node{kind: mapNode, args: p.parseEntries(), position: at}
	}
	sign := ""
	if p.isSignOfNumber() {
		sign = p.next().content
	}
	_, fromRoot := p.accept(".")
	if p.peek().kind == end {
		return p.failUnexpected()
	}
	t := p.next()
	switch {
	case t.kind == identifier && (!fromRoot || !isKeyword(t.content)):
		return p.parseWord(t)
	case t.kind >= integer && !fromRoot:
		value, err := parseLiteral(t, sign)
		if err != nil {
			return p.fail("%v", err)
		}
		return literal(value, at)
	default:
		return p.fail("syntax error: unexpected %q", t.content)
	}
}

func (p *parser) parseEntries() (entries []*node) {
	if _, ok := p.accept(","); ok {
		p.expect("}")
		return nil
	}
	for p.fault == nil {
		if _, ok := p.accept("}"); ok {
			return entries
		}
		key := p.parseExpression()
		p.expect(":")
		entries = append(entries, key, p.parseExpression())
		if _, ok := p.accept("}"); ok {
			return entries
		}
		p.expect(",")
	}
	return entries
}

func (p *parser) parseWord(word token) *node {
	switch word.content {
	case "true", "false":
		return literal(word.content == "true", word.position)
	case "null":
		return literal(nil, word.position)
	}
	if isKeyword(word.content) || isReserved(word.content) {
		return p.fail("reserved identifier: %s", word.content)
	}
	if _, ok := p.accept("("); ok {
		return p.parseCall(word, nil)
	}
	return &node{kind: variableNode, name: word.content, position: word.position}
}

func isKeyword(word string) bool {
	return slices.Contains([]string{"true", "false", "null", "in"}, word)
}

func isReserved(word string) bool {
	return slices.Contains([]string{
		"as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package", "namespace", "return",
		"var", "void", "while",
	}, word)
}
