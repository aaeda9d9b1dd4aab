package main

import (
	"context"
	"sync"

	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/reach"
)

// reachStates tells the checks of reachability as rows of their own.
type reachStates struct {
	tell func(wizard.CheckState)

	mu     sync.Mutex
	checks map[string]reach.Check
}

// begun tells which checks there are.
func (s *reachStates) begun(vantage string, checks []reach.Check) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checks = map[string]reach.Check{}
	for _, check := range checks {
		s.checks[check.ID] = check
		waiting := reach.Result{ID: check.ID, Group: check.Group, Target: check.Target(), Vantage: vantage, Phase: check.Phase, Severity: check.Severity, Owner: check.Owner}
		s.tell(wizard.CheckState{ID: check.ID, Title: check.Title, State: provisioner.Started, Reach: &wizard.Reached{Check: check, Result: waiting}})
	}
}

// told tells how one ended.
func (s *reachStates) told(result reach.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	check := s.checks[result.ID]
	told := wizard.CheckState{ID: result.ID, Title: check.Title, Text: result.Sentence(), Hint: result.Hint, Reach: &wizard.Reached{Check: check, Result: result}}
	switch result.Verdict {
	case reach.Fail:
		told.State = provisioner.Failed
	case reach.Skipped:
		told.State = provisioner.Skipped
	default:
		told.State = provisioner.Done
	}
	s.tell(told)
}

// checkFromZone makes the checks of reachability on a small machine in the zone.
func (c *conversation) checkFromZone(ctx context.Context, spec state.Spec, secrets wizard.Secrets, tell func(wizard.CheckState)) error {
	net, err := c.realm.network(ctx, spec.Exoscale.Zone)
	if err != nil {
		return err
	}
	survey, err := newSurvey(ctx, net, inquiredCluster{spec: spec, secrets: secrets}, nil, nil)
	if err != nil {
		return err
	}
	if c.rehearsal != nil {
		survey.dir = func() (string, error) { return c.draft.Path(checkPrefix + "zone"), nil }
	}
	states := reachStates{tell: tell}
	states.begun(reach.Zone, survey.from[reach.Zone])
	_, err = survey.run(ctx, reach.Zone, nil, states.told, func(string) {})
	return err
}
