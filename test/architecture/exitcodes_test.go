package architecture

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExitCodes_MatchPage(t *testing.T) {
	p := ours(t)
	page, program := pageCodes(p.texts["docs/reference/exit-codes.md"]), programCodes(p)
	if len(program) == 0 {
		t.Fatal(codesFile + ": no constants <Name> = <number>")
	}
	if diff := cmp.Diff(page, program); diff != "" {
		t.Errorf("docs/reference/exit-codes.md and %s differ (-page +program):\n%s", codesFile, diff)
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

// codesFile declares a constant for each exit code.
const codesFile = "internal/app/exit/exit.go"

// programCodes returns the codes of the program by the names of their constants.
func programCodes(p project) map[string]string {
	codes := map[string]string{}
	for _, file := range p.sources {
		if file.path != codesFile {
			continue
		}
		ast.Inspect(file.syntax, func(node ast.Node) bool {
			if spec, ok := node.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
				if value, ok := spec.Values[0].(*ast.BasicLit); ok && value.Kind == token.INT {
					codes[strings.ToLower(spec.Names[0].Name)] = value.Value
				}
			}
			return true
		})
	}
	return codes
}
