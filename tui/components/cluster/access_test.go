package cluster

import (
	"strings"
	"testing"

	"exoshift/provisioner"
	"exoshift/tui/tuitest"
)

// In most networks the bootstrap machine is unreachable from here, and before there is an API that is no problem.
func TestAccess_ClosedBootstrapIsNoAlarm(t *testing.T) {
	board := provisioner.NewBoard(nil)
	for _, way := range []string{"ssh", "api-direct", "api"} {
		board.Fold(provisioner.Event{Type: provisioner.TypeProbe, Name: way, State: provisioner.Unreachable})
	}
	reach := Access{Theme: tuitest.NewTheme(false), Board: board}
	if got := reach.RenderSummary(); got != "○ api" {
		t.Errorf("ways %q", got)
	}
	board.Fold(provisioner.Event{Type: provisioner.TypeProbe, Name: "ssh", State: provisioner.Reached})
	if got := reach.RenderSummary(); got != "✓ ssh  ○ api-direct  ○ api" {
		t.Errorf("ways %q", got)
	}
	board.Fold(provisioner.Event{Type: provisioner.TypeBootstrap, Phase: "temporary-api"})
	if got := reach.RenderSummary(); got != "✓ ssh  ! api-direct  ! api" {
		t.Errorf("ways %q", got)
	}
}

func TestAccess_WrongLoadBalancer(t *testing.T) {
	probe := func(name, probeState string) provisioner.Event {
		return provisioner.Event{Type: provisioner.TypeProbe, Name: name, State: probeState, Reason: "tcp: refused"}
	}
	for _, c := range []struct {
		direct, named string
		wrong         bool
	}{
		{provisioner.Reached, provisioner.Reached, false}, {provisioner.Unreachable, provisioner.Unreachable, false},
		{provisioner.Reached, provisioner.Unreachable, true}, {provisioner.Unreachable, provisioner.Reached, false},
	} {
		board := provisioner.NewBoard(nil)
		board.Fold(probe("api-direct", c.direct))
		board.Fold(probe("api", c.named))
		reach := Access{Theme: tuitest.NewTheme(false), Board: board}
		if wrong := reach.DescribeVerdict() != ""; wrong != c.wrong {
			t.Errorf("direct %s, by name %s: %q", c.direct, c.named, reach.DescribeVerdict())
		}
		board.Fold(provisioner.Event{Type: provisioner.TypeBootstrap, Phase: "bootstrap-finished"})
		if reach.DescribeVerdict() != "" || strings.Contains(reach.RenderSummary(), "direct") {
			t.Error("the bootstrap machine's API is missed although it has to go")
		}
	}
}
