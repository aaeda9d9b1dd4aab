package console_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"exoshift/internal/console"
	"exoshift/provisioner"
)

func TestSentences_SuccessfulRun(t *testing.T) {
	var out bytes.Buffer
	emit := console.NewSentencePrinter(&out)
	for _, e := range goodRun() {
		emit(e)
	}
	golden(t, "good.spoken.golden", out.Bytes())
}

func TestSentences_FailedRun(t *testing.T) {
	var out bytes.Buffer
	emit := console.NewSentencePrinter(&out)
	for _, e := range badRun() {
		emit(e)
	}
	golden(t, "bad.spoken.golden", out.Bytes())
}

func TestSentences_RepeatedWaitOnce(t *testing.T) {
	var out bytes.Buffer
	emit := console.NewSentencePrinter(&out)
	since := began
	for i, last := range []string{"1 of 3", "1 of 3", "2 of 3"} {
		emit(provisioner.Event{Type: provisioner.TypeWait, Step: "nodes", What: "Wait for the nodes", Since: &since, Last: last, Time: began.Add(time.Duration(i) * time.Minute)})
	}
	if n := strings.Count(out.String(), "\n"); n != 2 {
		t.Errorf("%d lines:\n%s", n, out.String())
	}
}

func TestSentences_AnyFirstLetter(t *testing.T) {
	var out bytes.Buffer
	console.NewSentencePrinter(&out)(provisioner.Event{Type: provisioner.TypeObject, Action: "über", Name: "x", Time: began})
	if text := out.String(); text != "Über x.\n" {
		t.Errorf("told %q", text)
	}
}

func TestAccessibleWriter_Tables(t *testing.T) {
	for table, want := range map[string]string{
		"  OpenShift    4.20.5, infrastructure c-demo-1-x7k2p": "OpenShift: 4.20.5, infrastructure c-demo-1-x7k2p",
		"  master-0         master     ready":                  "master-0: master, ready",
		"  [ok] Create the security groups: 2s":                "Done: Create the security groups: 2s",
		"  [  ] Wait":                                          "Waiting: Wait",
		"  durations    preflight 2s, infrastructure 1m,\n               operators 1h05m": "durations: preflight 2 seconds, infrastructure 1 minute, operators 1 hour 5 minutes",
		"Steps": "Steps",
		"":      "",
		"  export KUBECONFIG=/state/auth/kubeconfig": "export KUBECONFIG=/state/auth/kubeconfig",
		"QUOTA  NEEDS  LIMIT":                        "QUOTA, NEEDS, LIMIT",
	} {
		var out bytes.Buffer
		aloud := console.NewAccessibleWriter(&out)
		fmt.Fprintf(aloud, "%s", table)
		_, _ = io.WriteString(aloud, "\n")
		if out.String() != want+"\n" {
			t.Errorf("%q is read as %q, not %q", table, out.String(), want)
		}
	}
}

func TestAccessiblePrinter_StatusOnDemand(t *testing.T) {
	var out bytes.Buffer
	narrator := console.NewAccessiblePrinter(&out, nil, func(w io.Writer, board *provisioner.Board) {
		fmt.Fprintf(w, "  events   %d\n", len(board.Log))
	})
	narrator.Handle(provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Started, Text: "install c-demo-1", Time: began})
	for _, line := range []string{"", " S ", "?", "quit"} {
		narrator.HandleLine(line)
	}

	want := "Started: install c-demo-1.\nevents: 1\n" + strings.Repeat(console.WhileRunning+"\n", 2)
	if out.String() != want {
		t.Errorf("told:\n%s", out.String())
	}
}

func TestAccessiblePrinter_Decision(t *testing.T) {
	var out strings.Builder
	var decided []string
	narrator := console.NewAccessiblePrinter(&out, nil, func(io.Writer, *provisioner.Board) {})
	narrator.OnDecision(func(rule string, reply provisioner.Reply) { decided = append(decided, rule+" "+string(reply)) })
	narrator.HandleLine("repair")
	narrator.Handle(provisioner.Event{
		Type: provisioner.TypeDecision, Name: "api-name-missing", State: provisioner.Asked, Decision: "repair", Text: "It was changed since it was created. Repair it?",
	})
	for _, line := range []string{"stop", " Repair "} {
		narrator.HandleLine(line)
	}
	if len(decided) != 1 || decided[0] != "api-name-missing repair" {
		t.Errorf("decided %q", decided)
	}
	if want := "Decision: It was changed since it was created. Repair it?\nDecision: type repair or wait, and Enter"; !strings.Contains(out.String(), want) {
		t.Errorf("printed:\n%s", out.String())
	}
}
