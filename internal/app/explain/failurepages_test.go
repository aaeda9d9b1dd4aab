package explain

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	godiff "github.com/google/go-cmp/cmp"

	"exoshift/internal/simcloud/scenario"
	"exoshift/provisioner/diagnosis"
)

var update = flag.Bool("update", false, "write the pages of failures anew")

const (
	failuresDir    = "../../../docs/how-to/failures"
	connectionsDir = "../../../docs/how-to/connections"
	generatedNote  = "<!-- generated: go test ./internal/app/explain -run Pages -update -->\n"
	unhandled      = "<!-- not run: it is for the cluster that failed -->\n"
	elsewhere      = "<!-- not run: a test runs each scenario -->\n"
)

// The scenarios that show a rule and are not called like it.
func findScenario(rule string) string {
	return cmp.Or(map[string]string{
		"machine-config-blocked": "mcs-blocked", "source-rewritten": "eip-source-rewritten", "no-master": "masters-silent",
		"machine-silent": "master-never-joins",
	}[rule], rule)
}

func TestFailurePages_AreCurrent(t *testing.T) {
	for kind, dir := range map[string]string{KindRule: failuresDir, KindClass: connectionsDir} {
		want := map[string]string{"README.md": formatIndex(kind)}
		for _, page := range List() {
			if page.Kind == kind {
				want[page.ID+".md"] = formatPage(t, page)
			}
		}
		compareFolder(t, dir, want)
	}
}

// compareFolder compares the files of a folder with their wanted contents, or writes them.
func compareFolder(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	if *update {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, content := range want {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := map[string]string{}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got[file.Name()] = string(content)
	}
	if diff := godiff.Diff(want, got); diff != "" {
		t.Errorf("%s is out of date (-program +files):\n%s", dir, diff)
	}
}

func formatIndex(kind string) string {
	var out strings.Builder
	if kind == KindRule {
		out.WriteString("# Findings of the diagnosis\n\n" + generatedNote + "\nA page for each rule: what one sees, why, how to mend it, how to prevent it. [Diagnosis](../../reference/diagnosis.md) says what a run\n" +
			"does about a finding. If there is no finding, begin with [when it fails](../it-failed.md).\n\n| finding | means |\n|---|---|\n")
	} else {
		out.WriteString("# Connection problems\n\n" + generatedNote + "\nA page for each class that `exoshift check` and the checks of an installation report. [Check connectivity](../connectivity.md) says how to\n" +
			"look, and [endpoints](../../reference/endpoints.md) what each service is for.\n\n| class | means |\n|---|---|\n")
	}
	for _, page := range List() {
		if page.Kind == kind {
			fmt.Fprintf(&out, "| [`%s`](%s.md) | %s |\n", page.ID, page.ID, escape(page.Title))
		}
	}
	return out.String()
}

func formatPage(t *testing.T, page Page) string {
	if page.Kind == KindClass {
		return formatClassPage(page)
	}
	return formatRulePage(t, page)
}

func formatRulePage(t *testing.T, page Page) string {
	rule := diagnosis.Rules()[slices.IndexFunc(diagnosis.Rules(), func(r diagnosis.Rule) bool { return r.ID == page.ID })]
	var out strings.Builder
	fmt.Fprintf(&out, "# `%s`\n\n%s\n## What you see\n\nThe run reports the finding `%s`, of %s confidence, with its evidence", page.ID, generatedNote, page.ID, page.row("confidence"))
	if held := page.row("holds for"); held != "" {
		fmt.Fprintf(&out, ", after its signs have held for %s", strings.TrimSuffix(held, " before it is reported"))
	}
	if blocks := page.row("blocks"); blocks != "" {
		fmt.Fprintf(&out, ". The phase `%s` does not end because of it", blocks)
	}
	out.WriteString(".\n")
	if hidden := page.row("hidden"); hidden != "" {
		fmt.Fprintf(&out, "It is hidden %s.\n", hidden)
	}
	name := findScenario(page.ID)
	if !slices.Contains(scenario.Names(), name) {
		t.Errorf("%s: no scenario shows it", page.ID)
	}
	script := ""
	if slices.ContainsFunc(diagnosis.InstalledRules(), func(r diagnosis.Rule) bool { return r.ID == page.ID }) {
		script = " --day2 FILE"
	}
	fmt.Fprintf(&out, "\nA rehearsal shows it:\n\n%s```sh\nexoshift rehearse --scenario %s%s\n```\n", elsewhere, name, script)
	fmt.Fprintf(&out, "\n## Why\n\n%s\n", escape(page.Title))
	if hides := page.row("hides"); hides != "" {
		fmt.Fprintf(&out, "Beside it, these add nothing and are hidden: %s.\n", hides)
	}
	fmt.Fprintf(&out, "\n## How to mend it\n\nWhat the run does: %s.\n", describeDisposition(rule))
	first, commands, _ := strings.Cut(page.row("fix"), "\n")
	fmt.Fprintf(&out, "\n%s\n", escape(first))
	writeCommands(&out, commands)
	fmt.Fprintf(&out, "\n## How to prevent it\n\n%s\n\n[All findings](README.md) · [When it fails](../it-failed.md)\n", escape(page.row("prevent")))
	return out.String()
}

// writeCommands writes lines that are commands into blocks, and sentences between them as sentences.
func writeCommands(out *strings.Builder, lines string) {
	if lines == "" {
		return
	}
	for _, line := range strings.Split(lines, "\n") {
		if strings.HasSuffix(line, ".") {
			fmt.Fprintf(out, "\n%s\n", line)
			continue
		}
		fmt.Fprintf(out, "\n%s```sh\n%s\n```\n", unhandled, line)
	}
	if strings.Contains(lines, "{") {
		out.WriteString("\nThe finding itself has the values in the place of what is in braces.\n")
	}
}

func formatClassPage(page Page) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# `%s`\n\n%s\n## What you see\n\nA check has the class `%s`: %s.\n", page.ID, generatedNote, page.ID, escape(page.Title))
	out.WriteString("\nThe details of the check name the layer at which the connection fails (DNS, TCP, TLS, HTTP), the evidence, and a command that repeats it by hand.\n")
	fmt.Fprintf(&out, "\n## Why, and how to mend it\n\n%s\n", escape(page.row("what to do")))
	out.WriteString("\nWhat is in braces is named in the result. Then check again:\n\n<!-- not run: it needs the internet -->\n```sh\nexoshift check --zone ch-gva-2\n```\n")
	fmt.Fprintf(&out, "\n## How to prevent it\n\n%s\n\n[All connection problems](README.md) · [Check connectivity](../connectivity.md)\n", escape(page.row("prevent")))
	return out.String()
}

func (p Page) row(name string) string {
	for _, row := range p.Rows {
		if row.Name == name {
			return row.Text
		}
	}
	return ""
}

func escape(text string) string { return strings.NewReplacer("|", `\|`, "<", `\<`).Replace(text) }

// Every finding and every class says how it is prevented, and nothing else does.
func TestPrevention_IsComplete(t *testing.T) {
	for _, page := range List() {
		if has := page.row("prevent") != ""; has != (page.Kind == KindRule || page.Kind == KindClass) {
			t.Errorf("%s %s: prevention %q", page.Kind, page.ID, page.row("prevent"))
		}
	}
}
