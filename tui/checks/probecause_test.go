package checks

import (
	"testing"

	"exoshift/tui/tuitest"
	"exoshift/wizard/reach"
)

func TestList_CommonCause(t *testing.T) {
	g := newNetwork(reach.Workstation)
	for _, id := range []string{"NET-EXO-001", "NET-EXO-002", "NET-RH-001", "NET-RH-002"} {
		wrong := tuitest.Intercepted()
		wrong.Evidence = map[string]string{reach.EvidenceIssuer: "CN=Corp\x1b[2J CA"}
		g.setResult(reach.Workstation, id, wrong)
	}
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
		openScreen(g, size[0], size[1]).Shows(t, "one cause of 4: signed by CN=Corp")
	}
	delete(g.network.Wrong, "workstation NET-RH-001")
	delete(g.network.Wrong, "workstation NET-RH-002")
	openScreen(g, 80, 24).Hides(t, "one cause")
}

func TestFirewallRequest_Empty(t *testing.T) {
	g := newNetwork(reach.Workstation)
	g.setResult(reach.Workstation, "NET-RH-001", reach.Result{Verdict: reach.Fail, Class: reach.Captive})
	openScreen(g, 80, 24).Press("f").Shows(t, "Nothing to request from the network team").Hides(t, "blocked")
}
