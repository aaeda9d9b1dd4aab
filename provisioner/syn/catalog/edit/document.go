package edit

import (
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

// fileName names a file in errors.
type fileName string

func (f fileName) op() string { return "change " + string(f) }

func (f fileName) newConflict(line int, format string, args ...any) *fault.Error {
	return f.newFault(fault.Conflict, line, format, args...)
}

func (f fileName) newInvalidError(line int, format string, args ...any) error {
	return f.newFault(fault.Invalid, line, format, args...).
		WithHint("correct that file: one YAML document with a mapping, as Commodore reads it")
}

func (f fileName) newFault(kind fault.Kind, line int, format string, args ...any) *fault.Error {
	place := ""
	if line > 0 {
		place = fmt.Sprintf("line %d: ", line)
	}
	return fault.Newf(kind, f.op(), "%s%s", place, fmt.Sprintf(format, args...))
}

// document is a file with one YAML document, as text and as a tree.
type document struct {
	fileName
	source
	root            ast.Node // nil: only comments
	multilineRanges map[int]bool
	inline          bool // multi-line strings are written in one line
}

// parseDocument refuses files that cannot be edited safely as fault.Invalid.
func parseDocument(file fileName, content []byte) (*document, error) {
	d := &document{fileName: file, source: source{end: "\n"}}
	text := string(content)
	if strings.HasPrefix(text, byteOrderMark) {
		d.byteOrderMark, text = byteOrderMark, strings.TrimPrefix(text, byteOrderMark)
	}
	if err := file.checkText(text); err != nil {
		return nil, err
	}
	for each := range strings.Lines(text) {
		bare := strings.TrimRight(each, "\r\n")
		d.lines = append(d.lines, line{bare, each[len(bare):]})
	}
	if len(d.lines) > 0 && d.lines[0].end != "" {
		d.end = d.lines[0].end
	}
	parsed, err := file.parseTree(strings.ReplaceAll(text, "\r\n", "\n"))
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
func (f fileName) parseTree(text string) (parsed *ast.File, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = f.newInvalidError(0, "it is not readable")
		}
	}()
	parsed, err = parser.ParseBytes([]byte(text), 0)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, f.newInvalidError(0, "%s", sanitize(first))
	}
	return parsed, nil
}

// checkText refuses binary content, and content made to exhaust a parser.
func (f fileName) checkText(text string) error {
	switch {
	case len(text) > maxBytes:
		return f.newInvalidError(0, "it has more than %d kB", maxBytes>>10)
	case !utf8.ValidString(text):
		return f.newInvalidError(0, "it is not in UTF-8")
	case strings.ContainsRune(text, 0), strings.Contains(strings.ReplaceAll(text, "\r\n", ""), "\r"):
		return f.newInvalidError(0, "it has invalid characters")
	}
	return f.checkDepth(text)
}

// checkDepth refuses more nesting, or more marks on a line, than a person writes.
func (f fileName) checkDepth(text string) error {
	open, number := 0, 0
	for each := range strings.Lines(text) {
		number++
		open = max(0, open+countLetters(each, "[{")-countLetters(each, "]}"))
		lead := each[:len(each)-len(strings.TrimLeft(each, " -?"))]
		if open > maxNesting || countLetters(lead, "-?") > maxNesting || countLetters(each, "[{&*!?") > maxMarks || len(lead) > 10*maxNesting {
			return f.newInvalidError(number, "values are nested too deeply")
		}
		if number > maxLines {
			return f.newInvalidError(0, "it has more than %d lines", maxLines)
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
