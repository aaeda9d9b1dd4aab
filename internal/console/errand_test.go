package console_test

import (
	"bytes"
	"strings"
	"testing"

	"exoshift/provisioner/handover"

	"exoshift/internal/console"
	"exoshift/provisioner"
	"exoshift/state"
)

const errand = "The zone example.net needs exactly these NS records:\n" +
	"c-demo-1.example.net. 3600 IN NS ns1.exoscale.ch.\nc-demo-1.example.net. 3600 IN NS ns1.exoscale.com."

func TestActions_OneLineEach(t *testing.T) {
	var out bytes.Buffer
	show := console.NewPlain(&out)
	e := provisioner.Event{Type: provisioner.TypeStep, Phase: "infrastructure", Step: "delegation", State: provisioner.Progress, Text: "waiting for you", Hint: errand + "\n\x1b[31mred"}
	e.Time = began
	show(e)
	want := "14:00:00 infrastructure delegation: waiting for you\n" +
		"14:00:00 infrastructure The zone example.net needs exactly these NS records:\n" +
		"14:00:00 infrastructure c-demo-1.example.net. 3600 IN NS ns1.exoscale.ch.\n" +
		"14:00:00 infrastructure c-demo-1.example.net. 3600 IN NS ns1.exoscale.com.\n" +
		"14:00:00 infrastructure red\n"
	if out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
}

func TestSummary_RecordsOnOwnLines(t *testing.T) {
	var out bytes.Buffer
	board := provisioner.NewBoard(provisioner.Plan{{ID: "delegation", Title: "Wait"}})
	board.Fold(provisioner.Event{Type: provisioner.TypeStep, Step: "delegation", State: provisioner.Failed, Text: "gave up", Hint: errand + "\nThen run the same command again."})
	board.Fold(provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Finished, Result: "failed"})
	console.PrintSummary(&out, board, state.Facts{ClusterID: "c-demo-1"}, handover.Locations{Resume: "exoshift install"})
	for line := range strings.Lines(errand + "\nThen run the same command again.\n") {
		if !strings.Contains(out.String(), "\n"+line) {
			t.Errorf("%q does not stand alone in\n%s", line, out.String())
		}
	}
}
