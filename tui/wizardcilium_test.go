package tui

import (
	"testing"

	"exoshift/wizard"
)

// What Cilium needs is asked on a later screen, so it must not block an earlier one.
func TestCiliumsManifestsAreAskedForWhereTheyCanBeGiven(t *testing.T) {
	o := sit(t, newDesk(), 80, 24, nil).at(t, wizard.Network)
	if err := o.session.Set("network.cni", "Cilium"); err != nil {
		t.Fatal(err)
	}
	o.press("pgdown", "enter").inFront(t, wizard.Syn)
	o.press("pgdown", "enter").shows(t, "Catalog directory", "Cilium's manifests come from")
}
