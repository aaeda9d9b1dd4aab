package wizard_test

import (
	"strings"
	"testing"

	"exoshift/wizard"
)

const head = "apiVersion: exoshift/v1alpha1\nkind: Cluster\n"

func TestAFileWithoutItsHeadGetsOneAndKeepsTheRest(t *testing.T) {
	for before, want := range map[string]string{
		"cluster:   {id: x}   # c\n\n# end":      head + "cluster:   {id: x}   # c\n\n# end",
		"kind: Cluster\ndns: {}\n":               "apiVersion: exoshift/v1alpha1\nkind: Cluster\ndns: {}\n",
		"dns: {}\napiVersion: exoshift/v1alpha1": "kind: Cluster\ndns: {}\napiVersion: exoshift/v1alpha1",
		"# mine\n---\ndns: {}\n":                 "# mine\n---\n" + head + "dns: {}\n",
		"\ufeffdns: {}\n":                        "\ufeff" + head + "dns: {}\n",
		"dns: {}\r\nsyn: {}\r\n":                 strings.ReplaceAll(head, "\n", "\r\n") + "dns: {}\r\nsyn: {}\r\n",
		"":                                       head,
		"netwrk: {}\nexoscale: {zone: mars}\n":   head + "netwrk: {}\nexoscale: {zone: mars}\n",
	} {
		got, faults := wizard.Migrate("f", []byte(before))
		if string(got) != want || len(faults) > 0 {
			t.Errorf("%q becomes %q, not %q; faults:\n%s", before, got, want, lines(faults))
		}
	}
}

func TestACurrentFileStaysByteForByte(t *testing.T) {
	for _, content := range []string{minimal, "# x\n" + minimal + "foo:   1", "---\n" + minimal} {
		if got, faults := wizard.Migrate("f", []byte(content)); string(got) != content || len(faults) > 0 {
			t.Errorf("%q becomes %q; faults:\n%s", content, got, lines(faults))
		}
	}
}

func TestWhatCannotBeMigratedIsRefused(t *testing.T) {
	for content, want := range map[string]string{
		"kind: Cluster\napiVersion: exoshift/v2\n": `f:2:13  apiVersion  "exoshift/v2" is not known to this version of exoshift  allowed: exoshift/v1alpha1; newer formats are read by newer versions`,
		"kind: [x]\n":             `f:1:7  kind  is a list, not text  allowed: Cluster`,
		"{cluster: {id: x}}\n":    `f:1:1  file  nothing can be put on top of it`,
		"cluster: [\n":            `f:1:10  file  is not YAML`,
		"  cluster:\n    id: x\n": `f:1:1  file  nothing can be put on top of it`,
	} {
		_, faults := wizard.Migrate("f", []byte(content))
		if len(faults) != 1 || !strings.HasPrefix(faults[0].String(), want) {
			t.Errorf("%q: want %s\ngot %s", content, want, lines(faults))
		}
	}
}

func FuzzMigrate(f *testing.F) {
	for _, seed := range []string{"", minimal, "a: b", "---\nx", "{}", "\ufeff---", "kind: Cluster", "--- |\n  x\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		got, faults := wizard.Migrate("f", []byte(content))
		if len(faults) > 0 {
			return
		}
		again, faults := wizard.Migrate("f", got)
		if len(faults) > 0 || string(again) != string(got) {
			t.Fatalf("%q becomes %q, and then %q:\n%s", content, got, again, lines(faults))
		}
	})
}
