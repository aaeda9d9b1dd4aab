package install

import (
	"testing"

	"exoshift/state"
)

// The wait counts as every face does: the application that brings the others is one of them.
func TestTheWaitCountsTheApplicationThatBringsTheOthers(t *testing.T) {
	well := func(name string) state.ApplicationStatus {
		return state.ApplicationStatus{Name: name, Sync: "Synced", Health: "Healthy"}
	}
	seen := state.Synthesis{
		Steward: state.ApplicationStatus{Name: "steward-agent", Health: "Healthy"}, Argo: state.ApplicationStatus{Name: "argo-cd", Health: "Healthy"},
		Root: well("root"), Applications: []state.ApplicationStatus{well("cilium"), {Name: "backup", Sync: "Unknown", Health: "Healthy", Message: "no plugin"}},
	}
	const want = "2 of 3 applications are synced and healthy; backup is Healthy, sync Unknown: no plugin"
	if err := lacking(seen); err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}
