package api_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"exoshift/internal/simcloud/api"
)

// beyond are the products that the description at hand lacks, and paths that today's API no longer has.
var beyond = regexp.MustCompile(`^/(dbaas|sks|access-key)`)

// callsOfTheLibrary parses the source of egoscale v2 for its calls, each as method and path.
func callsOfTheLibrary(t *testing.T) []string {
	t.Helper()
	where, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/exoscale/egoscale").Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(where)), "v2", "oapi", "oapi.gen.go"))
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	path := ""
	for _, found := range regexp.MustCompile(`operationPath := fmt\.Sprintf\("([^"]*)"|http\.NewRequest\("([A-Z]+)"`).FindAllStringSubmatch(string(source), -1) {
		if found[1] != "" {
			path = strings.ReplaceAll(found[1], "%s", "{}")
			continue
		}
		if !beyond.MatchString(path) {
			calls = append(calls, found[2]+" "+path)
		}
	}
	return calls
}

// unserved are the calls that the simulation does not serve.
var unserved = map[string]bool{}

func TestRoutes_ServeEveryLibraryCall(t *testing.T) {
	described, err := official()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for call := range described.ListOperations() {
		known[regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(call, "{}")] = true
	}
	served := map[string]bool{}
	for _, pattern := range api.Patterns() {
		plain := regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(pattern, "{}")
		served[strings.Replace(plain, "/:", ":", 1)] = true
	}
	calls := callsOfTheLibrary(t)
	if len(calls) < 100 {
		t.Errorf("only %d calls found", len(calls))
	}
	for _, call := range calls {
		if !known[call] {
			t.Errorf("the description does not have %s", call)
		}
		if !served[call] && !unserved[call] {
			t.Errorf("the simulation does not serve %s", call)
		}
	}
}
