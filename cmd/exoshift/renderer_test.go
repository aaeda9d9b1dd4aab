package main

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/console/outlet"
	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/state"
)

func TestFormatSubtitle_ResolvesChannel(t *testing.T) {
	folder, err := state.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	spec := state.Default()
	spec.Exoscale.Zone, spec.OpenShift.Version = "ch-gva-2", "stable-4.20"
	if got := cli.FormatSubtitle(folder, spec); got != "ch-gva-2 · stable-4.20" {
		t.Errorf("at first: %s", got)
	}
	if err := folder.SaveFacts(state.Facts{OpenShiftVersion: "4.20.5"}); err != nil {
		t.Fatal(err)
	}
	if got := cli.FormatSubtitle(folder, spec); got != "ch-gva-2 · 4.20.5" {
		t.Errorf("once it is known: %s", got)
	}
}

// A terminal that blocks is e.g. the SSH session of a laptop that was suspended.
func TestDashboard_NeverHoldsUpTheRun(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	terminal, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close() // not before the end: a garbage-collected file is closed
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 50, Cols: 200}); err != nil {
		t.Fatal(err)
	}
	before, err := term.GetState(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	folder, err := state.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	plan := provisioner.Plan{{ID: "nodes", Phase: "nodes", Title: "Wait for the nodes"}}
	std := cli.Streams{In: tty, Out: outlet.New("standard output", tty)}
	shown := cli.Display{Output: cli.OutputTUI, Std: std}.NewDashboard(ctx, run.View{Folder: folder, Spec: state.Default(), Plan: plan, Now: time.Now, Stop: stop})
	emit := provisioner.Stream(network.Clock{}, shown.Emit)
	emitted := 0
	ended := make(chan error, 1)
	go func() {
		ended <- shown.RunWith(func() {
			for emitted < 100_000 {
				emitted++
				emit(provisioner.Event{Type: provisioner.TypeNode, Name: "worker-" + strconv.Itoa(emitted%100), Role: "worker", State: "Ready", Reason: strconv.Itoa(emitted)})
				if emitted%500 == 0 {
					<-time.After(10 * time.Millisecond) // for a frame that fills the terminal
				}
			}
			stop()
		})
	}()
	select {
	case err := <-ended:
		if err != nil || emitted != 100_000 {
			t.Errorf("%d events, %v", emitted, err)
		}
	case <-time.After(10 * time.Minute): // for slow or busy machines
		t.Fatalf("the run is held up after %d events", emitted)
	}
	if after, err := term.GetState(int(tty.Fd())); err != nil || *after != *before {
		t.Errorf("the terminal is left as the dashboard had it: %v", err)
	}
}

func TestOutput_RefusalListsFormats(t *testing.T) {
	const screens, lines = "auto, tui, plain or json", "plain or json"
	for verb, want := range map[string]string{
		"install": screens, "rehearse": screens, "status": screens, "replay": screens,
		"plan": "plain, json or markdown", "destroy": lines, "verify": lines, "bundle": lines, "answers validate x.yaml": lines,
		"check --zone ch-gva-2": "one of auto, tui, plain, short, json, junit, markdown",
	} {
		for _, given := range []string{"flag", "variable"} {
			t.Run(verb+" by "+given, func(t *testing.T) {
				args := strings.Fields(verb)
				if given == "flag" {
					args = append(args, "--output", "xml")
				} else {
					t.Setenv("EXOSHIFT_OUTPUT", "xml")
				}
				var output bytes.Buffer
				code := execute(t.Context(), args, cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &output})
				if refusal := "exoshift: --output xml: must be " + want + "\n"; code != exit.Usage || output.String() != refusal {
					t.Errorf("exit code %d: %q, not %q", code, output.String(), refusal)
				}
			})
		}
	}
}

func TestOutput_EnvironmentForEveryVerb(t *testing.T) {
	for _, value := range []string{"auto", "plain", "json"} {
		t.Setenv("EXOSHIFT_OUTPUT", value)
		var output bytes.Buffer
		execute(t.Context(), []string{"verify", "--dir", t.TempDir() + "/none"}, cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &output})
		if strings.Contains(output.String(), "--output") {
			t.Errorf("%s is refused: %s", value, output.String())
		}
	}
}
