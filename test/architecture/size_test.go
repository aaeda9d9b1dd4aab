package architecture

import (
	"fmt"
	"go/ast"
	"testing"
)

// longestFile is in lines.
const longestFile = 400

func TestFilesAreShort(t *testing.T) { report(t, longFiles(ours(t))) }

func longFiles(p project) (violations []string) {
	for _, file := range p.sources {
		if file.lines > longestFile {
			violations = append(violations, fmt.Sprintf("%s: a file has at most %d lines, this one %d", file.path, longestFile, file.lines))
		}
	}
	return violations
}

// functions yields each declared function and the file it is in.
func (p project) functions(yield func(*ast.FuncDecl, source) bool) {
	for _, file := range p.sources {
		for _, declaration := range file.syntax.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && !yield(function, file) {
				return
			}
		}
	}
}
