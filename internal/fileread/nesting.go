package fileread

import (
	"bytes"
	"fmt"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// maxNesting limits the depth of lists and mappings in YAML: real files stay below 20.
const maxNesting = 100

// CheckNesting returns a *TextError if a YAML text is nested deeper than maxNesting. Call it before parsing: the parsers' time
// grows with the square of the depth.
func CheckNesting(yaml []byte) error {
	if bytes.Count(yaml, []byte("["))+bytes.Count(yaml, []byte("{"))+bytes.Count(yaml, []byte("- -")) <= maxNesting/2 {
		return nil // fast path for most files
	}
	flow, dashes, line := 0, 0, 0
	for _, t := range lexer.Tokenize(string(yaml)) {
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow = max(0, flow-1)
		case token.SequenceEntryType: // - - - opens a list in a list, as long as the line goes on
			if t.Position.Line != line {
				dashes, line = 0, t.Position.Line
			}
			dashes++
		}
		if flow+dashes > maxNesting {
			return &TextError{Line: t.Position.Line, Column: t.Position.Column, Problem: fmt.Sprintf("it is nested deeper than %d levels", maxNesting)}
		}
	}
	return nil
}
