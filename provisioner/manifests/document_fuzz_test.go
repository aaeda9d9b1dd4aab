package manifests

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
)

// FuzzParse checks that no part of a manifest file is lost, and that every object has a name.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n# nothing\n--- # c\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: b\n  namespace: c\n",
		`{"apiVersion": "v1", "kind": "List", "metadata": {"name": 1}}`, "---", "", "a: &a [*a]", "kind: [", "metadata: null\nkind: x\napiVersion: y", "- -\n", "? ", "a: |\n  ---\n", "---\r\nkind: \x1b[2J", "\"", "!!", "<<: *x", "a: *", "stringData: {password: *",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		content, err := fileread.DecodeText(content)
		if err != nil || fileread.CheckNesting(content) != nil { // as readFile does before
			return
		}
		if joined := bytes.Join(split(content), nil); !bytes.Equal(joined, content) {
			t.Fatalf("%q became %q", content, joined)
		}
		const secret = "*very-secret-value"
		if _, err := parse("a.yaml", append(bytes.Clone(content), secret...)); err != nil && strings.Contains(err.Error(), secret[1:]) {
			t.Fatalf("%q is told as %q", content, err)
		}
		documents, err := parse("a.yaml", content)
		if err != nil {
			if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "a.yaml:") || strings.ContainsFunc(err.Error(), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
				t.Fatalf("%q is told as %q", content, err)
			}
			return
		}
		for _, d := range documents {
			if d.kind == "" || d.name == "" || d.apiVersion == "" || !bytes.Contains(content, d.content) {
				t.Fatalf("%q holds %+v", content, d)
			}
		}
	})
}
