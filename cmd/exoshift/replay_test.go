package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/request"
	"exoshift/provisioner"
	"exoshift/state"
)

// formatRun returns the lines of a run, one event every ten seconds.
func formatRun(t *testing.T, name string) string {
	t.Helper()
	var lines strings.Builder
	for n, e := range []provisioner.Event{
		{Type: provisioner.TypeRun, State: provisioner.Started, Text: name},
		{Type: provisioner.TypeRun, State: provisioner.Finished, Result: "ok"},
	} {
		e.V, e.Seq, e.Time = provisioner.Version, n+1, time.Date(2026, 5, 4, 9, 58, 10*n, 0, time.UTC)
		if err := json.NewEncoder(&lines).Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	return lines.String()
}

func TestReplay_ChoosesRun(t *testing.T) {
	folder, err := state.Create(filepath.Join(t.TempDir(), "cluster"))
	if err != nil {
		t.Fatal(err)
	}
	lines := formatRun(t, "first") + formatRun(t, "second")
	if err := errors.Join(folder.Write(state.EventsFile, []byte(lines)), folder.Write(state.AnswersFile, nil)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		replay replayFlags
		in     string
		want   string
		code   int
	}{
		"the last one by default": {replayFlags{Options: cli.Options{Request: request.Request{Dir: folder.Path()}}}, "", "second", exit.OK},
		"the first one":           {replayFlags{Options: cli.Options{Request: request.Request{Dir: folder.Path()}}, run: 1}, "", "first", exit.OK},
		"one of two":              {replayFlags{Options: cli.Options{Request: request.Request{Dir: folder.Path()}}, run: 3}, "", "", exit.Usage},
		"a file":                  {replayFlags{file: folder.Path(state.EventsFile)}, "", "second", exit.OK},
		"the standard input":      {replayFlags{file: "-"}, formatRun(t, "piped"), "piped", exit.OK},
		"nothing to show":         {replayFlags{file: "-"}, "hello\n", "", exit.Usage},
		"no such file":            {replayFlags{file: folder.Path("nothing")}, "", "", exit.Usage},
		"a folder as a file":      {replayFlags{file: folder.Path()}, "", "", exit.Usage},
		"a file and a folder":     {replayFlags{file: "-", Options: cli.Options{Request: request.Request{Dir: folder.Path()}}}, "", "", exit.Usage},
		"backwards":               {replayFlags{file: "-", speed: -1}, "", "", exit.Usage},
	} {
		var out bytes.Buffer
		c.replay.Output = cli.OutputJSON
		err := c.replay.show(t.Context(), cli.Streams{In: io.NopCloser(strings.NewReader(c.in)), Out: &out})
		if exit.Code(err) != c.code || !strings.Contains(out.String(), `"text":"`+c.want) && c.want != "" {
			t.Errorf("%s: %v\n%s", name, err, out.String())
		}
	}
}
