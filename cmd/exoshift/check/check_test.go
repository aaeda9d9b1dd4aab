package check

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
)

func TestCheck_SimulatedMakesNoFolder(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "nowhere"))
	c := checkFlags{simulate: true, zone: "ch-gva-2", vantages: []string{"workstation"}, only: []string{"NET-EXO-001"}, format: formatShort}
	var out, output strings.Builder
	if err := c.run(t.Context(), cli.Streams{Out: &out, Err: &output}); err != nil {
		t.Errorf("%v\n%s%s", err, out.String(), output.String())
	}
}

func TestFormat_PlainHasAnotherWord(t *testing.T) {
	for written, want := range map[format]format{"plain": formatPlain, "table": formatPlain, "auto": formatPlain, "json": formatJSON} {
		if got, err := written.resolve(cli.Streams{}); err != nil || got != want {
			t.Errorf("%s: got %s, %v", written, got, err)
		}
	}
	if _, err := format("lines").resolve(cli.Streams{}); exit.Code(err) != exit.Usage || slices.Contains(listFormats(), "table") {
		t.Errorf("got %v, of %v", err, listFormats())
	}
}
