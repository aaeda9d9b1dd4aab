package checks

import (
	"testing"

	"exoshift/tui/tuitest"
	"exoshift/wizard/reach"
)

func TestOneCauseOfManyProblemsStandsAboveThem(t *testing.T) {
	g := newGate(reach.Workstation)
	for _, id := range []string{"NET-EXO-001", "NET-EXO-002", "NET-RH-001", "NET-RH-002"} {
		wrong := tuitest.Intercepted()
		wrong.Evidence = map[string]string{reach.EvidenceIssuer: "CN=Corp\x1b[2J CA"}
		g.spoil(reach.Workstation, id, wrong)
	}
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
		inspects(g, size[0], size[1]).shows(t, "one cause of 4: signed by CN=Corp")
	}
	delete(g.network.Wrong, "workstation NET-RH-001")
	delete(g.network.Wrong, "workstation NET-RH-002")
	inspects(g, 80, 24).hides(t, "one cause")
}

func TestARequestForNothingDoesNotSayThatAllIsWell(t *testing.T) {
	g := newGate(reach.Workstation)
	g.spoil(reach.Workstation, "NET-RH-001", reach.Result{Verdict: reach.Fail, Class: reach.Captive})
	inspects(g, 80, 24).press("f").shows(t, "Nothing to ask the network team for").hides(t, "blocked")
}
