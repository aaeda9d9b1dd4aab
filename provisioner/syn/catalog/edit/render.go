package edit

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
)

// plain matches strings that are strings in every version of YAML without quotes, unless they are one of the words.
var plain = regexp.MustCompile(`^\.?[A-Za-z_/][-A-Za-z0-9_./+=@]*(?:[: ][-A-Za-z0-9_./+=@]+)*$`)

// words are strings that some version of YAML takes for something else.
var words = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null|\.inf|\.nan)$`)

// quoted is a string in the quotes of another one, or in those that it needs.
func quoted(text, like string) string {
	switch {
	case strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }), strings.HasPrefix(like, `"`):
		return double(text)
	case strings.HasPrefix(like, `'`):
		return single(text)
	case plain.MatchString(text) && !words.MatchString(text):
		return text
	case strings.Contains(text, `'`):
		return double(text)
	}
	return single(text)
}

func single(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func double(text string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

// flow is a value in one line, with braces and brackets. like is the text of the value before it.
func flow(n *node, like string) string {
	switch n.sort {
	case mapping:
		parts := make([]string, len(n.entries))
		for i, each := range n.entries {
			parts[i] = quoted(each.key, "") + ": " + flow(each.value, "")
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case sequence:
		parts := make([]string, len(n.items))
		for i, each := range n.items {
			parts[i] = flow(each, "")
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case scalar:
		if n.kind == "string" {
			return quoted(n.text, like)
		}
		return n.text
	}
	return "null"
}

// style is how values are indented.
type style struct {
	step   int  // of keys below a key
	dash   int  // of the items of a list below its key
	seen   bool // there is a list
	inline bool // texts of several lines are written in one
}

// block is a value behind its key, and the lines below the key, which stands at indent.
func (s style) block(n *node, indent int, like string) (inline string, below []string) {
	switch {
	case n.sort == mapping && len(n.entries) > 0:
		for _, each := range n.entries {
			below = append(below, s.pair(each, indent+s.step)...)
		}
		return "", below
	case n.sort == sequence && len(n.items) > 0:
		for _, each := range n.items {
			below = append(below, strings.Repeat(" ", indent+s.dash)+"- "+flow(each, ""))
		}
		return "", below
	case n.sort == scalar && n.kind == "string" && !s.inline && literal(n.text):
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
	return flow(n, like), nil
}

// pair is a key with its value, in lines.
func (s style) pair(e entry, indent int) []string {
	inline, below := s.block(e.value, indent, "")
	head := strings.Repeat(" ", indent) + quoted(e.key, "") + ":"
	if inline != "" {
		head += " " + inline
	}
	return append([]string{head}, below...)
}

// literal tells whether a text of several lines can stand as it is.
func literal(text string) bool {
	body := strings.TrimSuffix(text, "\n")
	return strings.Contains(body, "\n") && !strings.HasPrefix(body, " ") && !strings.HasPrefix(body, "\n") && !strings.HasSuffix(body, "\n") &&
		!strings.ContainsFunc(body, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) })
}

// nested puts a value below keys.
func nested(path []string, value any) *node {
	n := &node{}
	n.grow(path, made(value))
	return n
}
