package wizard_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/schema"
)

const generated = "The rest of this page is generated from the program: `go test ./wizard -run Page -update`.\n"

func TestAnswersPage_IsCurrent(t *testing.T) {
	const page = "../docs/reference/answers.md"
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	prose, _, ok := strings.Cut(string(content), generated)
	if !ok {
		t.Fatalf("%s does not say: %s", page, generated)
	}
	agrees(t, page, prose+generated+keyTables())
}

func TestSchemaFile_IsCurrent(t *testing.T) {
	content, err := schema.Generate()
	if err != nil {
		t.Fatal(err)
	}
	agrees(t, "../docs/reference/answers.schema.json", string(content))
}

// agrees compares a file with its wanted content, or writes it.
func agrees(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is out of date (-program +file):\n%s", path, diff)
	}
}

func keyTables() string {
	var out strings.Builder
	section := ""
	for _, field := range answersfile.FindFields("") {
		if name, _, _ := strings.Cut(field.Key, "."); name != section {
			section = name
			fmt.Fprintf(&out, "\n### %s\n\n| key | what it is | default | allowed, or an example | a change later |\n|---|---|---|---|---|\n", section)
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s | %s |\n", field.Key, prose(field), fallback(field), cell(field), field.Effect)
		if field.Key == "syn.facts" {
			factRows(&out)
		}
	}
	return out.String()
}

func factRows(out *strings.Builder) {
	spec := state.Default()
	spec.Syn.LieutenantURL, spec.Network.CNI = "https://l.example.net", "Cilium"
	for _, field := range wizard.Syn.ListFields(spec) {
		if !strings.HasPrefix(field.Key, "syn.facts.") {
			continue
		}
		usual := []string{"`" + field.Example + "`"}
		for i, choice := range field.Offered {
			usual = append(usual[:i], "`"+choice.Value+"` ("+choice.Note+")")
		}
		fmt.Fprintf(out, "| `%s` | %s | none | %s | %s |\n", field.Key, prose(field), strings.Join(usual, ", "), field.Effect)
	}
}

func prose(field wizard.Field) string {
	return strings.NewReplacer("|", `\|`, "<", `\<`, "\n", " ").Replace(strings.TrimSpace(field.Title + ". " + field.Help))
}

func fallback(field wizard.Field) string {
	switch usual := field.Default(); {
	case usual != "":
		return "`" + usual + "`"
	case field.IsRequired(state.Default()):
		return "none: required"
	}
	return "none"
}

func cell(field wizard.Field) string {
	if allowed := field.DescribeAllowed(); allowed != "" {
		return allowed
	}
	return "`" + field.Example + "`"
}

func TestAnswersPage_ExamplesParse(t *testing.T) {
	content, err := os.ReadFile("../docs/reference/answers.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(content), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	if _, faults := answersfile.Parse("docs/reference/answers.md", []byte(example)); len(faults) > 0 {
		t.Errorf("the page's example has faults:\n%s", lines(faults))
	}
	spec := state.Default()
	for key, text := range map[string]string{
		"network.customerNetworks": "192.168.0.0/16, 10.9.0.0/24", "syn.facts": "key=value, other=value",
		"sizing.extraGroups": "name=gpu type=gpua30.small count=2 rootDisk=100", "exoscale.apiKey": "exo:ACCOUNT",
	} {
		if err := field(t, key).Set(&spec, text); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	if faults := answersfile.ReadAnswers("f", []byte("apiVersion: exoshift/v1alpha1\nkind: Cluster\nask: [cluster.id, sizing]\n")).Ask; len(faults) < 10 {
		t.Errorf("the page's ask means %v", faults)
	}
}
