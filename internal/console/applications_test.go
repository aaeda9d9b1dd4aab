package console_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/console"
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/state"
)

// applicationEvents are of a cluster that Project Syn takes over, with an alternating state.
func applicationEvents() []provisioner.Event {
	var events []provisioner.Event
	for i, words := range [][4]string{
		{"steward", "Progressing", "", "0 of 1 pods are available"}, {"steward", "Healthy", "", ""}, {"steward", "Healthy", "", ""},
		{"root", "Healthy", "Synced", ""}, {"monitoring", "Missing", "OutOfSync", ""},
		{"monitoring", "Degraded", "OutOfSync", "no \x1b[31msecret"}, {"monitoring", "Missing", "OutOfSync", "again"},
		{"monitoring", "Degraded", "OutOfSync", "another"}, {"monitoring", "Healthy", "Synced", ""},
	} {
		events = append(events, provisioner.Event{
			Time: began.Add(time.Duration(i) * time.Minute), Type: provisioner.TypeApplication, Phase: "project-syn",
			Name: words[0], State: words[1], Sync: words[2], Reason: words[3],
		})
	}
	return events
}

func TestApplications_EachStateOnce(t *testing.T) {
	var plain, spoken bytes.Buffer
	lines, sentences := console.NewPlain(&plain), console.NewSentencePrinter(&spoken)
	for _, e := range applicationEvents() {
		lines(e)
		sentences(e)
	}
	want := `14:00:00 application    steward is Progressing: 0 of 1 pods are available
14:01:00 application    steward is Healthy
14:03:00 application    root is Healthy; 1 of 1 applications are synced and healthy
14:04:00 application    monitoring is Missing, sync OutOfSync
14:05:00 application    monitoring is Degraded, sync OutOfSync: no secret
14:08:00 application    monitoring is Healthy; 2 of 2 applications are synced and healthy
`
	if diff := cmp.Diff(want, plain.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.Contains(spoken.String(), "Application: monitoring is Healthy; 2 of 2 applications are synced and healthy.\n") {
		t.Errorf("spoken:\n%s", spoken.String())
	}
}

func TestStatus_UnhealthyApplications(t *testing.T) {
	var out bytes.Buffer
	board := provisioner.NewBoard(nil)
	for _, e := range applicationEvents()[:6] {
		board.Fold(e)
	}
	console.PrintStatus(&out, board, state.Facts{ClusterID: "c-demo-1"}, handover.Locations{})
	for _, want := range []string{"Project Syn\n  1 of 2 applications are synced and healthy\n", "  monitoring  Degraded, OutOfSync, for 0s, no secret\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "steward") {
		t.Errorf("what is well is listed:\n%s", out.String())
	}
}

func TestStatus_UpdatedByProjectSyn(t *testing.T) {
	managed := state.Facts{ClusterID: "c-demo-1", CurrentVersion: "4.20.5", Installed: time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC), Syn: state.SynFacts{Lieutenant: "https://api.syn.vshn.net"}}
	alone := managed
	alone.Syn = state.SynFacts{}
	for _, facts := range []state.Facts{managed, alone} {
		var out bytes.Buffer
		console.PrintStatus(&out, provisioner.NewBoard(nil), facts, handover.Locations{})
		if shown := strings.Contains(out.String(), "by Project Syn; the release it has now: exoshift upgrade c-demo-1\n"); shown != (facts.Syn.Lieutenant != "") {
			t.Errorf("%t:\n%s", shown, out.String())
		}
	}
}
