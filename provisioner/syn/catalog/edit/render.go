package edit

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
)

// plainPattern matches strings that need no quotes in any version of YAML, unless reservedPattern matches them.
var plainPattern = regexp.MustCompile(`^\.?[A-Za-z_/][-A-Za-z0-9_./+=@]*(?:[: ][-A-Za-z0-9_./+=@]+)*$`)

// reservedPattern matches strings that some version of YAML takes for another type.
var reservedPattern = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null|\.inf|\.nan)$`)

// quoteString uses the quotes of like, or those that the text needs.
func quoteString(text, like string) string {
	switch {
	case strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }), strings.HasPrefix(like, `"`):
		return quoteDouble(text)
	case strings.HasPrefix(like, `'`):
		return quoteSingle(text)
	case plainPattern.MatchString(text) && !reservedPattern.MatchString(text):
		return text
	case strings.Contains(text, `'`):
		return quoteDouble(text)
	}
	return quoteSingle(text)
}

func quoteSingle(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func quoteDouble(text string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

// renderFlow returns a value in one line, with braces and brackets. like is the text of the previous value.
func renderFlow(n *node, like string) string {
	switch n.nodeKind {
	case mapping:
		parts := make([]string, len(n.entries))
		for i, each := range n.entries {
			parts[i] = quoteString(each.key, "") + ": " + renderFlow(each.value, "")
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case sequence:
		parts := make([]string, len(n.items))
		for i, each := range n.items {
			parts[i] = renderFlow(each, "")
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case scalar:
		if n.kind == "string" {
			return quoteString(n.text, like)
		}
		return n.text
	}
	return "null"
}

// style is the indentation of values.
type style struct {
	step    int  // of keys below a key
	dash    int  // of the items of a list below its key
	hasList bool // there is a list
	inline  bool // multi-line strings are written in one line
}

// renderBlock returns the text after the key, and the lines below the key, which has that indent.
func (s style) renderBlock(n *node, indent int, like string) (inline string, below []string) {
	switch {
	case n.nodeKind == mapping && len(n.entries) > 0:
		for _, each := range n.entries {
			below = append(below, s.renderPair(each, indent+s.step)...)
		}
		return "", below
	case n.nodeKind == sequence && len(n.items) > 0:
		for _, each := range n.items {
			below = append(below, strings.Repeat(" ", indent+s.dash)+"- "+renderFlow(each, ""))
		}
		return "", below
	case n.nodeKind == scalar && n.kind == "string" && !s.inline && isLiteral(n.text):
		text, header := strings.TrimSuffix(n.text, "\n"), "|"
		if text == n.text {
			header = "|-"
		}
		for each := range strings.SplitSeq(text, "\n") {
			if each != "" {
				each = strings.Repeat(" ", indent+s.step) + each
			}
			below = append(below, each)
		}
		return header, below
	}
	return renderFlow(n, like), nil
}

func (s style) renderPair(e entry, indent int) []string {
	inline, below := s.renderBlock(e.value, indent, "")
	head := strings.Repeat(" ", indent) + quoteString(e.key, "") + ":"
	if inline != "" {
		head += " " + inline
	}
	return append([]string{head}, below...)
}

// isLiteral reports whether a multi-line string can be a literal block scalar.
func isLiteral(text string) bool {
	body := strings.TrimSuffix(text, "\n")
	return strings.Contains(body, "\n") && !strings.HasPrefix(body, " ") && !strings.HasPrefix(body, "\n") && !strings.HasSuffix(body, "\n") &&
		!strings.ContainsFunc(body, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) })
}

func newNested(path []string, value any) *node {
	n := &node{}
	n.insertValue(path, newValue(value))
	return n
}
