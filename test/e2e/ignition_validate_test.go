package e2e

import (
	"bytes"
	"fmt"
	"os/exec"
	"testing"
)

func TestIgnitionValidate_AcceptsDocuments(t *testing.T) {
	validate := ignitionTool(t, ignitionValidate)
	documents := documents(t)
	if len(documents) < 50 {
		t.Errorf("only %d documents", len(documents))
	}
	for name, document := range documents {
		if err := validated(validate, document); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestIgnitionValidate_RefusesBroken(t *testing.T) {
	validate := ignitionTool(t, ignitionValidate)
	documents := documents(t)
	for name, test := range map[string]struct{ of, old, broken string }{
		"a version of the future":  {"default, master-0", `"3.2.0"`, `"9.9.0"`},
		"a relative path":          {"default, master-0", `"/etc/hostname"`, `"etc/hostname"`},
		"an unknown protocol":      {"default, master-0", `"https://`, `"gopher://`},
		"a hash that is none":      {"bootstrap", `"sha512-`, `"sha512-0`},
		"a device that is none":    {"default, storage-0", `"/dev/vda"`, `"vda"`},
		"two partitions alike":     {"default, storage-0", `"label":"data"`, `"label":"root"`},
		"a unit of no kind":        {"default, storage-0", `zero-storagepool.service"`, `zero-storagepool"`},
		"a unit with a stray line": {"default, storage-0", `[Service]\n`, `[Service\n`},
		"an end too early":         {"default, storage-0", `}}`, ``},
	} {
		document := bytes.Replace(documents[test.of], []byte(test.old), []byte(test.broken), 1)
		if bytes.Equal(document, documents[test.of]) {
			t.Errorf("%s: the document does not say %s", name, test.old)
		}
		if err := validated(validate, document); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// validated returns an error if ignition-validate says anything at all about a document.
func validated(validate string, document []byte) error {
	cmd := exec.Command(validate, "-")
	cmd.Stdin = bytes.NewReader(document)
	output, err := cmd.CombinedOutput()
	if err == nil && len(output) > 0 {
		err = fmt.Errorf("a remark")
	}
	if err != nil {
		return fmt.Errorf("%w: %s\n%s", err, output, document)
	}
	return nil
}
