package main

import (
	"testing"

	"exoshift/internal/network"
	"exoshift/state"
)

func TestASkipInSmallLettersIsHandedOverLikeAnyOther(t *testing.T) {
	spec := state.Default()
	spec.Exoscale.Zone, spec.Checks.Skip = "ch-gva-2", map[string]string{"net-rh-001": "we know until 2999-01-31"}
	survey, err := newSurvey(t.Context(), network.Network{}, inquiredCluster{spec: spec}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if skipped := survey.skippedBy(); len(skipped) != 1 || skipped[0].ID != "NET-RH-001" || skipped[0].Target == "" {
		t.Errorf("handed over: %+v", skipped)
	}
}
