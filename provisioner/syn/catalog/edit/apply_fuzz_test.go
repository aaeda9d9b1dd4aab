package edit_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"exoshift/internal/fault"
	"exoshift/provisioner/syn/catalog/edit"
	"exoshift/state"
)

// FuzzApply checks that applying an edit twice changes nothing the second time, whatever the file contains.
func FuzzApply(f *testing.F) {
	for _, seed := range []string{
		"", "classes:\n- a\nparameters:\n  openshift: {baseDomain: 'a'} # c\n", "\ufeffparameters:\r\n  x: |\r\n    a\r\n", "a: &b {c: d}\nparameters: *b\n", "---\n---\na: 1\n", "? [a]\n: b\n",
		"parameters: [", "\"", "parameters:\n\topenshift: 1\n", "- -\n", "parameters: !!binary YQ==\n", "parameters: null\n", "x: >-\n  a\n\n b", "# only\n",
	} {
		f.Add([]byte(seed), "parameters", "openshift", "example.net")
		f.Add([]byte(seed), "classes", "a.b", "x: y\n\u0085")
	}
	f.Add([]byte("0"), "parameters", "", "0")
	f.Fuzz(func(t *testing.T, content []byte, first, second, value string) {
		edits := []state.YAMLEdit{{Path: []string{first, second}, Value: value}}
		before := bytes.Clone(content)
		after, err := edit.Apply("c-demo-1.yml", content, edits)
		if err != nil {
			isOurs := fault.Is(err, fault.Internal) && (first == "" || second == "") // no file is at fault for an edit without a key
			if words := err.Error(); !isOurs && !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.Conflict) || strings.ContainsFunc(words, unicode.IsControl) || after != nil {
				t.Fatalf("%q is told as %q", content, words)
			}
			return
		}
		if !bytes.Equal(before, content) {
			t.Fatal("what was given has changed")
		}
		again, err := edit.Apply("c-demo-1.yml", after, edits)
		if err != nil || !bytes.Equal(again, after) {
			t.Fatalf("%q became %q and then %q, %v", content, after, again, err)
		}
	})
}
