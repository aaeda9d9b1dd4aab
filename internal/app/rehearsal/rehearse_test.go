package rehearsal

import (
	"strings"
	"testing"

	"exoshift/state"
)

func TestExample_CoversScenarios(t *testing.T) {
	for scenario, want := range map[string]string{"happy": "", "no-cloud-controller": "External"} {
		if got := (Rehearsal{Scenario: scenario}).adaptExample(state.Default()).OpenShift.CloudControllerManager; got != want {
			t.Errorf("%s: the cloud controller manager is %q, not %q", scenario, got, want)
		}
	}
}

func TestSlowNote_BelowRequestedSpeedOnly(t *testing.T) {
	if note := formatSlowdown(600, 500); note != "" {
		t.Errorf("nearly as fast as asked: %s", note)
	}
	if note := formatSlowdown(600, 214.2); !strings.Contains(note, "--speed 600") || !strings.Contains(note, "214 times") {
		t.Errorf("a third of what was asked: %q", note)
	}
}
