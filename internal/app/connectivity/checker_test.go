package connectivity

import (
	"testing"

	"exoshift/internal/network"
	"exoshift/state"
	"exoshift/wizard/reach"
)

func TestChecker_SkipIgnoresCase(t *testing.T) {
	spec := state.Default()
	spec.Exoscale.Zone, spec.Checks.Skip = "ch-gva-2", map[string]string{"net-rh-001": "we know until 2999-01-31"}
	survey, err := NewChecker(t.Context(), network.Network{}, Subject{Spec: spec}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if skipped := survey.listSkipped(); len(skipped) != 1 || skipped[0].ID != "NET-RH-001" || skipped[0].Target == "" {
		t.Errorf("handed over: %+v", skipped)
	}
}

func TestWatch_StartsOneZoneMachine(t *testing.T) {
	spec := state.Default()
	spec.Exoscale.Zone = "ch-gva-2"
	s := &Checker{Spec: spec, from: map[string][]reach.Check{}, dir: func() (string, error) {
		t.Error("the zone is looked at from inside")
		return t.TempDir(), nil
	}}
	last := reach.Report{V: reach.Version, Results: []reach.Result{
		{ID: "A", Source: reach.Workstation, Verdict: reach.OK}, {ID: "A", Source: reach.Zone, Verdict: reach.Fail, Class: reach.Refused},
	}}
	next, err := s.RunAgain(t.Context(), []string{reach.Workstation, reach.Zone}, last, func(string) {})
	if err != nil || len(next.Results) != 1 || next.Results[0].Source != reach.Zone || next.ComputeVerdict() != reach.Fail {
		t.Errorf("%v, %+v", err, next)
	}
}
