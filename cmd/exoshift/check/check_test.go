package check

import (
	"testing"

	"path/filepath"
	"strings"

	"exoshift/cmd/exoshift/cli"
)

func TestCheck_SimulatedMakesNoFolder(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "nowhere"))
	c := checkFlags{simulate: true, zone: "ch-gva-2", vantages: []string{"workstation"}, only: []string{"NET-EXO-001"}, format: formatShort}
	var out, output strings.Builder
	if err := c.run(t.Context(), cli.Streams{Out: &out, Err: &output}); err != nil {
		t.Errorf("%v\n%s%s", err, out.String(), output.String())
	}
}
