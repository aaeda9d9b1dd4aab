package main

import (
	"testing"

	"exoshift/state"
)

func TestTheScreenNamesTheReleaseThatAChannelStandsFor(t *testing.T) {
	folder, err := state.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	spec := state.Default()
	spec.Exoscale.Zone, spec.OpenShift.Version = "ch-gva-2", "stable-4.20"
	if got := subtitle(folder, spec); got != "ch-gva-2 · stable-4.20" {
		t.Errorf("at first: %s", got)
	}
	if err := folder.SaveFacts(state.Facts{OpenShiftVersion: "4.20.5"}); err != nil {
		t.Fatal(err)
	}
	if got := subtitle(folder, spec); got != "ch-gva-2 · 4.20.5" {
		t.Errorf("once it is known: %s", got)
	}
}
