package architecture

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheExitCodesAreThoseOfThePage(t *testing.T) {
	p := ours(t)
	page, program := pageCodes(p.texts["docs/exit-codes.md"]), programCodes(p)
	if len(program) == 0 {
		t.Fatal("cmd/exoshift/exitcode.go: no constants exit... = <number>")
	}
	if diff := cmp.Diff(page, program); diff != "" {
		t.Errorf("docs/exit-codes.md and cmd/exoshift/exitcode.go differ (-page +program):\n%s", diff)
	}
}

var codeRow = regexp.MustCompile(`(?m)^\| (\d+) \| ([a-z-]+) \| `)

// pageCodes returns the codes of the page's table by name.
func pageCodes(page string) map[string]string {
	codes := map[string]string{}
	for _, row := range codeRow.FindAllStringSubmatch(page, -1) {
		codes[strings.ReplaceAll(row[2], "-", "")] = row[1]
	}
	return codes
}

// programCodes returns the constants named exit... by the rest of their names.
func programCodes(p project) map[string]string {
	codes := map[string]string{}
	for _, file := range p.sources {
		if file.path != "cmd/exoshift/exitcode.go" {
			continue
		}
		ast.Inspect(file.syntax, func(node ast.Node) bool {
			if spec, ok := node.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
				name, named := strings.CutPrefix(spec.Names[0].Name, "exit")
				if value, ok := spec.Values[0].(*ast.BasicLit); ok && named && value.Kind == token.INT {
					codes[strings.ToLower(name)] = value.Value
				}
			}
			return true
		})
	}
	return codes
}
