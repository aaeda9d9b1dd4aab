// Package architecture checks by tests what docs/architecture.md and the project's habits demand: who imports whom,
// which room opens which door, how long files and functions are, and what is never written. Each violation names its
// file and the rule.
package architecture

import (
	"bytes"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
)

// module is the import path that our own packages begin with.
const module = "exoshift/"

// project is all that the rules look at.
type project struct {
	positions *token.FileSet
	sources   []source
	texts     map[string]string // all text files, by path
	tables    tables
}

// source is a Go file.
type source struct {
	path   string // slash-separated, below the project's root
	dir    string
	test   bool
	lines  int
	syntax *ast.File
}

// imports returns the import paths of a file.
func (s source) imports() []string {
	var paths []string
	for _, spec := range s.syntax.Imports {
		if imported, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, imported)
		}
	}
	return paths
}

// ours reads the project that this test is part of.
func ours(t *testing.T) project {
	t.Helper()
	return load(t, os.DirFS("../.."))
}

func load(t *testing.T, root fs.FS) project {
	t.Helper()
	p := project{positions: token.NewFileSet(), texts: map[string]string{}}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return enter(root, name)
		}
		return p.add(root, name)
	})
	if err != nil {
		t.Fatal(err)
	}
	p.tables = readTables(p.texts["docs/architecture.md"])
	return p
}

// enter skips folders that are not part of the project's text, and modules of their own.
func enter(root fs.FS, dir string) error {
	if dir == ".git" || dir == "bin" {
		return fs.SkipDir
	}
	if _, err := fs.Stat(root, path.Join(dir, "go.mod")); err == nil && dir != "." {
		return fs.SkipDir
	}
	return nil
}

func (p *project) add(root fs.FS, name string) error {
	content, err := fs.ReadFile(root, name)
	if err != nil || bytes.IndexByte(content, 0) >= 0 {
		return err
	}
	p.texts[name] = string(content)
	if path.Ext(name) != ".go" || strings.Contains(name, "testdata/") || neverBuilt(content) {
		return nil
	}
	syntax, err := parser.ParseFile(p.positions, name, content, parser.ParseComments)
	if err != nil {
		return err
	}
	p.sources = append(p.sources, source{
		path: name, dir: path.Dir(name), test: strings.HasSuffix(name, "_test.go"),
		lines: bytes.Count(content, []byte("\n")), syntax: syntax,
	})
	return nil
}

// neverBuilt tells whether a build constraint keeps a file out of every program, as the tags "tools" and "ignore" do.
func neverBuilt(content []byte) bool {
	first, _, _ := strings.Cut(string(content), "\n")
	if !constraint.IsGoBuild(first) {
		return false
	}
	expression, err := constraint.Parse(first)
	return err == nil && !expression.Eval(func(tag string) bool { return tag != "tools" && tag != "ignore" })
}

// report fails the test once for each violation.
func report(t *testing.T, violations []string) {
	t.Helper()
	for _, violation := range violations {
		t.Error(violation)
	}
}
