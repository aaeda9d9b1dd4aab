package main

import (
	"io"
	"testing"
)

func TestTheShippedExampleHasWhatAScenarioBreaks(t *testing.T) {
	for scenario, want := range map[string]string{"happy": "", "no-cloud-controller": "External"} {
		read, err := rehearsal{scenario: scenario}.answersOrExample(streams{out: io.Discard, err: io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		if got := read.answers.Spec.OpenShift.CloudControllerManager; got != want {
			t.Errorf("%s: the cloud controller manager is %q, not %q", scenario, got, want)
		}
	}
}
