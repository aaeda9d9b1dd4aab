package scenario

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/reference/scenarios.md anew")

const generated = "The rest of this page is generated from the program: `go test ./internal/simcloud/scenario -run Page -update`.\n"

func TestScenariosPage_IsCurrent(t *testing.T) {
	const page = "../../../docs/reference/scenarios.md"
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	prose, _, ok := strings.Cut(string(content), generated)
	if !ok {
		t.Fatalf("%s does not say: %s", page, generated)
	}
	var table strings.Builder
	table.WriteString("\n## All scenarios\n\n| scenario | what fails |\n|---|---|\n")
	for _, s := range List() {
		fmt.Fprintf(&table, "| `%s` | %s |\n", s.Name, s.Description)
	}
	want := prose + generated + table.String()
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(content)); diff != "" {
		t.Errorf("%s is out of date (-program +file):\n%s", page, diff)
	}
}
