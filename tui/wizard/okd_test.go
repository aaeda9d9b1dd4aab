package wizard

import (
	"testing"

	"exoshift/tui/wizard/page"
)

func TestForm_OKDSuggestion(t *testing.T) {
	o := openCluster(t)
	if err := o.session.Set("openshift.distribution", "okd"); err != nil {
		t.Fatal(err)
	}
	o.currentPage().(page.Focuser).Focus("openshift.version")
	o.Press("enter").Shows(t, "required, e.g. 4.20.0-okd-scos.11")
	o.Type("4.20.5").Press("enter")
	o.currentPage().(page.Focuser).Focus("openshift.version")
	o.Shows(t, "Did you mean Distribution: ocp?")
	o.Press("ctrl+y").Hides(t, "Did you mean")
	if got := o.session.Spec().OpenShift; got.Distribution != "ocp" || got.Version != "4.20.5" {
		t.Errorf("the answers are %s %s", got.Distribution, got.Version)
	}
}
