package reach

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	godiff "github.com/google/go-cmp/cmp"

	"exoshift/assets"
	"exoshift/state"
)

var update = flag.Bool("update", false, "write docs/reference/endpoints.md anew")

const generated = "The rest of this page is generated from the program: `go test ./wizard/reach -run Page -update`.\n"

func TestEndpointsPage_IsCurrent(t *testing.T) {
	const page = "../../docs/reference/endpoints.md"
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	prose, _, ok := strings.Cut(string(content), generated)
	if !ok {
		t.Fatalf("%s does not say: %s", page, generated)
	}
	want := prose + generated + endpointTables(t) + classTable()
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := godiff.Diff(want, string(content)); diff != "" {
		t.Errorf("%s is out of date (-program +file):\n%s", page, diff)
	}
}

func endpointTables(t *testing.T) string {
	titles := map[string]string{"exoscale": "Exoscale", "redhat": "Red Hat", "third-party": "Third parties", "vshn": "VSHN and Project Syn", "cluster": "The cluster"}
	var out strings.Builder
	group := ""
	for _, e := range catalogue(t) {
		if e.Group != group {
			group = e.Group
			fmt.Fprintf(&out, "\n## %s\n\n| ID | service | asked by | from | phase | severity | when | whom to ask | reason |\n|---|---|---|---|---|---|---|---|---|\n", titles[group])
		}
		fmt.Fprintf(&out, "| <a id=\"%s\"></a>%s | %s, `%s` | %s | %s | %s | %s | %s | %s | %s |\n",
			strings.ToLower(e.ID), e.ID, e.Title, target(e), e.URL[:strings.Index(e.URL, ":")], strings.Join(e.From, ", "), e.Phase, e.Severity,
			whenWords(e.When), e.Owner, inCell(strings.TrimSpace(e.Reason+" "+e.Hint)))
	}
	return out.String()
}

// target is the host and the port of an endpoint, with placeholders.
func target(e assets.Endpoint) string {
	kind, rest, _ := strings.Cut(e.URL, "://")
	host, _, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host, "?")
	placeholder := strings.HasPrefix(host, "{") && strings.HasSuffix(host, "}") // may have a port of its own
	if port := getDefaultPort(kind); port != "" && !strings.Contains(host, ":") && !placeholder {
		host += ":" + port
	}
	return host
}

func whenWords(names []string) string {
	if len(names) == 0 {
		return "always"
	}
	var all []string
	for _, name := range names {
		var either []string
		for part := range strings.SplitSeq(name, "|") {
			either = append(either, listConditions()[part].text)
		}
		all = append(all, strings.Join(either, " or "))
	}
	return strings.Join(all, ", and ")
}

func classTable() string {
	var out strings.Builder
	out.WriteString("\n## What can be wrong\n\n| class | means | what to do |\n|---|---|---|\n")
	classes := slices.SortedFunc(maps.Keys(classHints), func(a, b Class) int { return cmp.Compare(a, b) })
	for _, class := range classes {
		fmt.Fprintf(&out, "| `%s` | %s | %s |\n", class, inCell(classTexts[class]), inCell(classHints[class]))
	}
	return out.String()
}

// inCell escapes a text for a table cell; values of the result are in italics.
func inCell(text string) string {
	text = strings.NewReplacer("|", `\|`, "<", `\<`, "\n", " ").Replace(text)
	return regexp.MustCompile(`\{([a-z]+)\}`).ReplaceAllString(text, "*$1*")
}

func TestCheckPage_AnchorExists(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/endpoints.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, check := range choose(t, Scope{Spec: state.Default(), Partial: true}) {
		_, anchor, found := strings.Cut(check.Page(), "#")
		if !found || !strings.Contains(string(page), `<a id="`+anchor+`"></a>`) {
			t.Errorf("%s: %q", check.ID, check.Page())
		}
	}
	if page := (Check{ID: "NET-CUS-ABCDEF", Group: Customer}).Page(); page != "" {
		t.Error(page)
	}
}
