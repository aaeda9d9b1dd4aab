package wizard

import (
	"testing"

	"exoshift/wizard"
)

// What Cilium needs is asked on a later screen, so it must not block an earlier one.
func TestForm_CiliumCatalogOnSynScreen(t *testing.T) {
	o := openWizard(t, newInterview(), 80, 24, nil).openPage(t, wizard.Network)
	if err := o.session.Set("network.cni", "Cilium"); err != nil {
		t.Fatal(err)
	}
	o.Press("pgdown", "enter").checkPage(t, wizard.Syn)
	o.Press("pgdown", "enter").Shows(t, "Catalog directory", "Cilium requires manifests from")
}
