package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"exoshift/internal/app/exit"
	"exoshift/internal/app/request"
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
