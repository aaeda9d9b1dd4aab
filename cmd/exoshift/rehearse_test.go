package main

import (
	"io"
	"testing"
)

func TestTheShippedExampleHasWhatAScenarioBreaks(t *testing.T) {
	for scenario, want := range map[string]string{"happy": "", "no-cloud-controller": "External"} {
		spec, _, err := rehearsal{scenario: scenario}.answersOrExample(streams{out: io.Discard, err: io.Discard})
		if err != nil || spec.OpenShift.CloudControllerManager != want {
			t.Errorf("%s: the cloud controller manager is %q, not %q: %v", scenario, spec.OpenShift.CloudControllerManager, want, err)
		}
	}
}
