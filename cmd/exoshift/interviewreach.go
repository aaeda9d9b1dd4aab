package main

import (
	"context"
	"sync"

	"exoshift/internal/app/connectivity"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/reach"
)

type connectivityStates struct {
	emit func(wizard.CheckState)

	mu     sync.Mutex
	checks map[string]reach.Check
}

func (s *connectivityStates) emitPending(vantage string, checks []reach.Check) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checks = map[string]reach.Check{}
	for _, check := range checks {
		s.checks[check.ID] = check
		waiting := reach.Result{ID: check.ID, Group: check.Group, Target: check.Target(), Source: vantage, Phase: check.Phase, Severity: check.Severity, Owner: check.Owner}
		s.emit(wizard.CheckState{ID: check.ID, Title: check.Title, State: provisioner.Started, Reach: &wizard.ReachState{Check: check, Result: waiting}})
	}
}

func (s *connectivityStates) emitResult(result reach.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	check := s.checks[result.ID]
	told := wizard.CheckState{ID: result.ID, Title: check.Title, Text: result.Describe(), Hint: result.Hint, Reach: &wizard.ReachState{Check: check, Result: result}}
	switch result.Verdict {
	case reach.Fail:
		told.State = provisioner.Failed
	case reach.Skipped:
		told.State = provisioner.Skipped
	default:
		told.State = provisioner.Done
	}
	s.emit(told)
}

func (c interviewPreview) runZoneChecks(ctx context.Context, spec state.Spec, secrets wizard.Secrets, tell func(wizard.CheckState)) error {
	net, err := c.environment.OpenNetwork(ctx, spec.Exoscale.Zone)
	if err != nil {
		return err
	}
	survey, err := connectivity.NewChecker(ctx, net, connectivity.Subject{Spec: spec, Secrets: secrets}, nil, nil)
	if err != nil {
		return err
	}
	if c.rehearsal != nil {
		survey.SetDir(func() (string, error) { return c.draft.Path(checkPrefix + "zone"), nil })
	}
	states := connectivityStates{emit: tell}
	states.emitPending(reach.Zone, survey.ListChecks(reach.Zone))
	_, err = survey.Run(ctx, reach.Zone, nil, states.emitResult, func(string) {})
	return err
}
