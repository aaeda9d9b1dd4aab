package environment

import (
	"testing"

	"exoshift/internal/app/exit"
	"exoshift/internal/simcloud"
)

func TestSimulated_OpensNoZoneOnceClosed(t *testing.T) {
	realm := NewSimulated(simcloud.Options{Speed: 1, Scenario: "happy"})
	if err := realm.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := realm.OpenNetwork(t.Context(), "ch-gva-2"); exit.Code(err) != exit.Interrupted {
		t.Errorf("it ended with %v", err)
	}
	if len(realm.zones) > 0 {
		t.Error("a zone is open")
	}
}
