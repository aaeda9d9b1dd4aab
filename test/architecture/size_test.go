package architecture

import (
	"fmt"
	"go/ast"
	"slices"
	"testing"
)

// Lengths in lines. The shares are of all functions of production code, counted from "func" to the closing brace.
const (
	longestFile     = 400
	longestFunction = 60
	median          = 10
	ninetieth       = 40
)

func TestFilesAreShort(t *testing.T) { report(t, longFiles(ours(t))) }

func TestNoFunctionIsLong(t *testing.T) { report(t, longFunctions(ours(t))) }

func TestMostFunctionsAreSmall(t *testing.T) { report(t, heavyFunctions(ours(t))) }

func longFiles(p project) (violations []string) {
	for _, file := range p.sources {
		if file.lines > longestFile {
			violations = append(violations, fmt.Sprintf("%s: a file has at most %d lines, this one %d", file.path, longestFile, file.lines))
		}
	}
	return violations
}

func longFunctions(p project) (violations []string) {
	for function, file := range p.functions {
		if file.test {
			continue
		}
		if lines := p.length(function); lines > longestFunction {
			violations = append(violations, fmt.Sprintf("%s: a function has at most %d lines, %s has %d",
				file.path, longestFunction, function.Name.Name, lines))
		}
	}
	return violations
}

func heavyFunctions(p project) (violations []string) {
	var lengths []int
	for function, file := range p.functions {
		if !file.test {
			lengths = append(lengths, p.length(function))
		}
	}
	slices.Sort(lengths)
	for share, limit := range map[int]int{50: median, 90: ninetieth} {
		// The smallest length that so many per cent of the functions do not exceed.
		if at := (len(lengths)*share+99)/100 - 1; at >= 0 && lengths[at] > limit {
			violations = append(violations, fmt.Sprintf("whole project: %d of 100 functions have at most %d lines; now it takes %d lines",
				share, limit, lengths[at]))
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

func (p project) length(function *ast.FuncDecl) int {
	return p.positions.Position(function.End()).Line - p.positions.Position(function.Pos()).Line + 1
}
