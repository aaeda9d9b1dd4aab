package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exoshift/internal/app/exit"
	"exoshift/internal/app/request"
	"exoshift/internal/console/outlet"
	"exoshift/internal/fault"
)

func TestDisplay_AskWithoutTerminal(t *testing.T) {
	for name, c := range map[string]struct {
		output output
		yes    bool
		toGo   string
		want   string // ""; no error
	}{
		"with --yes":          {OutputPlain, true, "", ""},
		"in a pipe":           {OutputPlain, false, "", "nothing was changed: give --yes"},
		"for programs":        {OutputJSON, false, "to remove these nodes", "nothing was changed: give --yes to remove these nodes"},
		"for programs, --yes": {OutputJSON, true, "to remove these nodes", ""},
	} {
		var out bytes.Buffer
		shown := Display{Output: c.output, Std: Streams{In: strings.NewReader("yes\n"), Out: &out, Err: &out}}
		err := shown.Ask(t.Context(), NewOptions(request.Request{Yes: c.yes}, c.output), "\nGo on?", c.toGo)
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want || exit.Code(err) != exit.Usage) || out.Len() > 0 {
			t.Errorf("%s: %v, printed %q", name, err, out.String())
		}
	}
}

func TestDisplay_PrintFailureWithNextThingToDo(t *testing.T) {
	var out bytes.Buffer
	shown := Display{Std: Streams{Err: &out}}
	shown.PrintFailure(nil)
	shown.PrintFailure(fault.New(fault.Conflict, "stop the cluster", errors.New("it is not well\x1b[2J")).WithHint("wait"))
	if got := out.String(); !strings.HasPrefix(got, "exoshift: stop the cluster: it is not well") || strings.Contains(got, "\x1b") || !strings.HasSuffix(got, "\n  wait\n") {
		t.Errorf("%q", got)
	}
}

func TestPrintError_LineForEachReason(t *testing.T) {
	for want, reasons := range map[string]fault.Reasons{
		"exoshift: stop the cluster: nothing was changed:\n  - etcd is not well\n  - no backup\n  wait\n": {"etcd\x1b[2J is not well", "no backup"},
		"exoshift: stop the cluster: nothing was changed: no backup\n  wait\n":                            {"no backup"},
	} {
		var out bytes.Buffer
		PrintError(&out, fault.Newf(fault.Conflict, "stop the cluster", "nothing was changed: %w", reasons).WithHint("wait"))
		if out.String() != want {
			t.Errorf("printed %q, want %q", out.String(), want)
		}
	}
}

// TestDisplay_PrintFailureInOrder has both streams end in one file, as in a terminal.
func TestDisplay_PrintFailureInOrder(t *testing.T) {
	file, err := os.OpenFile(filepath.Join(t.TempDir(), "terminal"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	std := Streams{Out: outlet.New("standard output", file), Err: outlet.New("standard error", file)}
	want := ""
	for range 100 {
		std.StartRun(OutputPlain, "")
		fmt.Fprintln(std.Out, "the last step")
		Display{Output: OutputPlain, Std: std}.PrintFailure(errors.New("it failed"))
		fmt.Fprintln(std.Out, "Resume with")
		std.EndRun("", func(string) {})
		want += "the last step\nexoshift: it failed\nResume with\n"
	}
	if got, err := os.ReadFile(file.Name()); err != nil || string(got) != want {
		t.Errorf("printed %s, %v", got, err)
	}
}

func TestDisplay_AskIDWithoutTerminal(t *testing.T) {
	for name, c := range map[string]struct {
		output    output
		confirmed string
		want      string // "": no error
	}{
		"confirmed":           {OutputPlain, "c-1", ""},
		"for programs":        {OutputJSON, "c-1", ""},
		"in a pipe":           {OutputPlain, "", "nothing was changed: --confirm-restore=c-1 is required (--yes does not suffice), or --dry-run"},
		"for programs, not":   {OutputJSON, "", "nothing was changed: --confirm-restore=c-1 is required (--yes does not suffice), or --dry-run"},
		"of another cluster":  {OutputPlain, "c-2", "nothing was changed: --confirm-restore c-2 does not match the cluster ID c-1"},
		"a yes is not enough": {OutputPlain, "yes", "nothing was changed: --confirm-restore yes does not match the cluster ID c-1"},
	} {
		var out bytes.Buffer
		shown := Display{Output: c.output, Std: Streams{In: strings.NewReader("c-1\n"), Out: &out, Err: &out}}
		err := shown.AskID(t.Context(), Overwrite{Cluster: "c-1", Confirmed: c.confirmed, Flag: "--confirm-restore", Lost: "\nType it: "})
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want || exit.Code(err) != exit.Usage) || out.Len() > 0 {
			t.Errorf("%s: %v, printed %q", name, err, out.String())
		}
	}
}
