package tui

import (
	"testing"
)

func TestWhatIsMeantOfOKDIsTaken(t *testing.T) {
	o := onCluster(t)
	if err := o.session.Set("openshift.distribution", "okd"); err != nil {
		t.Fatal(err)
	}
	o.currentPage().(focuser).Focus("openshift.version")
	o.press("enter").shows(t, "an answer is needed, e.g. 4.20.0-okd-scos.11")
	o.types("4.20.5").press("enter")
	o.currentPage().(focuser).Focus("openshift.version")
	o.shows(t, "Did you mean Distribution: ocp?")
	o.press("ctrl+y").hides(t, "Did you mean")
	if got := o.session.Spec().OpenShift; got.Distribution != "ocp" || got.Version != "4.20.5" {
		t.Errorf("the answers are %s %s", got.Distribution, got.Version)
	}
}
