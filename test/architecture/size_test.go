package architecture

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// Limits of production code. Beyond them there is another package or another type in it.
const (
	longestFile      = 400 // lines
	mostFiles        = 25  // of a package
	mostLines        = 3000
	mostMethods      = 30 // of a type
	mostFilesOfAType = 3
)

// listExceptions returns the packages ("dir") and types ("dir.Type") that may be beyond a limit, with the reason.
func listExceptions() map[string]string {
	return map[string]string{}
}

func TestFilesAreShort(t *testing.T) { report(t, longFiles(ours(t))) }

func TestSize_PackagesAndTypes(t *testing.T) {
	p := ours(t)
	violations := append(largePackages(p), largeTypes(p)...)
	for name, reason := range listExceptions() {
		within := func(violation string) bool { return strings.HasPrefix(violation, name+": ") }
		if !slices.ContainsFunc(violations, within) {
			t.Errorf("%s is within the limits: take it from the exceptions (%s)", name, reason)
		}
		violations = slices.DeleteFunc(violations, within)
	}
	report(t, violations)
}

func longFiles(p project) (violations []string) {
	for _, file := range p.sources {
		if file.lines > longestFile {
			violations = append(violations, fmt.Sprintf("%s: a file has at most %d lines, this one %d", file.path, longestFile, file.lines))
		}
	}
	return violations
}

func largePackages(p project) (violations []string) {
	files, lines := map[string]int{}, map[string]int{}
	for _, file := range p.sources {
		if !file.test {
			files[file.dir]++
			lines[file.dir] += file.lines
		}
	}
	for dir := range files {
		if files[dir] > mostFiles {
			violations = append(violations, fmt.Sprintf("%s: a package has at most %d files, this one %d", dir, mostFiles, files[dir]))
		}
		if lines[dir] > mostLines {
			violations = append(violations, fmt.Sprintf("%s: a package has at most %d lines, this one %d", dir, mostLines, lines[dir]))
		}
	}
	slices.Sort(violations)
	return violations
}

func largeTypes(p project) (violations []string) {
	methods, files := map[string]int{}, map[string][]string{}
	for function, file := range p.functions {
		receiver := receiverOf(function)
		if file.test || receiver == "" {
			continue
		}
		name := file.dir + "." + receiver
		methods[name]++
		if !slices.Contains(files[name], file.path) {
			files[name] = append(files[name], file.path)
		}
	}
	for name := range methods {
		if methods[name] > mostMethods {
			violations = append(violations, fmt.Sprintf("%s: a type has at most %d methods, this one %d", name, mostMethods, methods[name]))
		}
		if len(files[name]) > mostFilesOfAType {
			violations = append(violations, fmt.Sprintf("%s: the methods of a type are in at most %d files, these in %d", name, mostFilesOfAType, len(files[name])))
		}
	}
	slices.Sort(violations)
	return violations
}

// receiverOf returns the name of a method's type; "" of a function.
func receiverOf(function *ast.FuncDecl) string {
	if function.Recv == nil {
		return ""
	}
	expression := function.Recv.List[0].Type
	for {
		switch e := expression.(type) {
		case *ast.StarExpr:
			expression = e.X
		case *ast.IndexExpr:
			expression = e.X
		case *ast.IndexListExpr:
			expression = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
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
