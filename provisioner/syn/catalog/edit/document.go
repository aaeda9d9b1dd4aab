package edit

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"exoshift/internal/fault"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

const (
	maxBytes = 128 << 10
	// maxLines and maxMarks bound the time of the parser, which grows faster than the text.
	maxLines = 10_000
	maxMarks = 1000 // of a kind in one line
	// maxNesting bounds the depth of values, so that no recursion exhausts the stack.
	maxNesting    = 100
	byteOrderMark = "\ufeff" // that some editors write at the beginning of a file
)

// document is a file with one YAML document, as text and as a tree.
type document struct {
	file            string
	byteOrderMark   string
	end             string // of lines
	lines           []line
	root            ast.Node // nil: only comments
	multilineRanges map[int]bool
	inline          bool // multi-line strings are written in one line
}

type line struct{ text, end string }

// parseDocument refuses files that cannot be edited safely as fault.Invalid.
func parseDocument(file string, content []byte) (*document, error) {
	d := &document{file: file, end: "\n"}
	text := string(content)
	if strings.HasPrefix(text, byteOrderMark) {
		d.byteOrderMark, text = byteOrderMark, strings.TrimPrefix(text, byteOrderMark)
	}
	if err := d.checkText(text); err != nil {
		return nil, err
	}
	for each := range strings.Lines(text) {
		bare := strings.TrimRight(each, "\r\n")
		d.lines = append(d.lines, line{bare, each[len(bare):]})
	}
	if len(d.lines) > 0 && d.lines[0].end != "" {
		d.end = d.lines[0].end
	}
	parsed, err := d.parseTree(strings.ReplaceAll(text, "\r\n", "\n"))
	if err != nil {
		return nil, err
	}
	for _, doc := range parsed.Docs {
		if doc.Body == nil {
			continue
		}
		if d.root != nil {
			return nil, d.newInvalidError(doc.Body.GetToken().Position.Line, "there are several YAML documents in it")
		}
		d.root = doc.Body
	}
	if _, comment := d.root.(*ast.CommentGroupNode); comment {
		d.root = nil
	}
	d.multilineRanges = d.findMultiline()
	return d, nil
}

// parseTree recovers panics of the parser: such a text is not edited.
func (d *document) parseTree(text string) (parsed *ast.File, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = d.newInvalidError(0, "it cannot be read")
		}
	}()
	parsed, err = parser.ParseBytes([]byte(text), 0)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, d.newInvalidError(0, "%s", sanitize(first))
	}
	return parsed, nil
}

// checkText refuses binary content, and content made to exhaust a parser.
func (d *document) checkText(text string) error {
	switch {
	case len(text) > maxBytes:
		return d.newInvalidError(0, "it has more than %d kB", maxBytes>>10)
	case !utf8.ValidString(text):
		return d.newInvalidError(0, "it is not in UTF-8")
	case strings.ContainsRune(text, 0), strings.Contains(strings.ReplaceAll(text, "\r\n", ""), "\r"):
		return d.newInvalidError(0, "it has characters that no text has")
	}
	return d.checkDepth(text)
}

// checkDepth refuses more nesting, or more marks on a line, than a person writes.
func (d *document) checkDepth(text string) error {
	open, number := 0, 0
	for each := range strings.Lines(text) {
		number++
		open = max(0, open+countLetters(each, "[{")-countLetters(each, "]}"))
		lead := each[:len(each)-len(strings.TrimLeft(each, " -?"))]
		if open > maxNesting || countLetters(lead, "-?") > maxNesting || countLetters(each, "[{&*!?") > maxMarks || len(lead) > 10*maxNesting {
			return d.newInvalidError(number, "values are too deep in one another")
		}
		if number > maxLines {
			return d.newInvalidError(0, "it has more than %d lines", maxLines)
		}
	}
	return nil
}

func countLetters(text, letters string) (sum int) {
	for _, letter := range letters {
		sum += strings.Count(text, string(letter))
	}
	return sum
}

func (d *document) newInvalidError(line int, format string, args ...any) error {
	return d.newFault(fault.Invalid, line, format, args...).
		WithHint("correct that file by hand: one YAML document of a map, as Commodore reads it")
}

func (d *document) newFault(kind fault.Kind, line int, format string, args ...any) *fault.Error {
	place := ""
	if line > 0 {
		place = fmt.Sprintf("line %d: ", line)
	}
	return fault.Newf(kind, "change "+d.file, "%s%s", place, fmt.Sprintf(format, args...))
}

func (d *document) render() []byte {
	var b bytes.Buffer
	b.WriteString(d.byteOrderMark)
	for _, each := range d.lines {
		b.WriteString(each.text + each.end)
	}
	return b.Bytes()
}

// insert inserts lines after line number after; 0: at the beginning. A file without a final newline keeps that.
func (d *document) insert(after int, texts ...string) {
	fresh := make([]line, len(texts))
	for i, text := range texts {
		fresh[i] = line{text, d.end}
	}
	if last := after - 1; after > 0 && d.lines[last].end == "" && len(fresh) > 0 {
		d.lines[last].end, fresh[len(fresh)-1].end = d.end, ""
	}
	d.lines = append(d.lines[:after:after], append(fresh, d.lines[after:]...)...)
}

func (d *document) remove(first, last int) {
	d.lines = append(d.lines[:first-1:first-1], d.lines[last:]...)
}
