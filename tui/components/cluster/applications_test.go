package cluster

import (
	"strings"
	"testing"

	"exoshift/provisioner"
	"exoshift/tui/tuitest"
)

func TestApplications_WholeReason(t *testing.T) {
	why := "Failed to load target state: authentication required: the deploy key of the catalog is not the one that Lieutenant holds"
	p := Applications{Theme: tuitest.NewTheme(false), Applications: []provisioner.Event{
		{Name: "root", State: "Healthy", Sync: "Unknown", Reason: why}, {Name: "cilium", State: "Healthy", Sync: "Synced"},
	}}
	view := strings.Join(strings.Fields(p.View(80, 20)), " ")
	if !strings.Contains(view, why) {
		t.Errorf("the reason is cut off:\n%s", p.View(80, 20))
	}
	if lines := p.CountLines(80); lines != 5 {
		t.Errorf("%d lines:\n%s", lines, p.View(80, 20))
	}
	if lines := p.CountLines(50); lines != 3 {
		t.Errorf("%d lines beside other panes:\n%s", lines, p.View(50, 20))
	}
}
