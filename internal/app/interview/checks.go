package interview

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"exoshift/internal/app/connectivity"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/rehearsal"
	"exoshift/internal/app/request"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/reach"
)

// previewer runs what comes before an installation, in temporary folders of a draft.
type previewer struct {
	request     request.Request
	environment environment.Environment
	cache       string
	draft       state.Draft
	rehearsal   *rehearsal.Rehearsal // nil: it is about a real cluster
	running     *checkRuns
}

// checkRuns are the runs of checks that use the draft's folder, also those that were cancelled and have not ended yet.
type checkRuns struct {
	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

// begin fails once close was called; end must be called when the run no longer uses the folder.
func (r *checkRuns) begin() (end func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, context.Canceled
	}
	r.running.Add(1)
	return r.running.Done, nil
}

// close waits for the runs; none can begin after it.
func (r *checkRuns) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.running.Wait()
}

// newRun returns a run for read-only clients.
func (c previewer) newRun(ctx context.Context, spec state.Spec, secrets wizard.Secrets, folder state.Folder) (run.Run, error) {
	net, err := c.environment.OpenNetwork(ctx, spec.Exoscale.Zone)
	if err != nil {
		return run.Run{}, err
	}
	if net.ReleaseKey, err = c.releaseKey(net.ReleaseKey); err != nil {
		return run.Run{}, err
	}
	access, err := c.environment.OpenAccess(ctx, spec.Exoscale.Zone)
	if err != nil {
		return run.Run{}, err
	}
	s := run.Run{Spec: spec, Secrets: secrets, Folder: folder, Net: net, Options: c.request.RunOptions(), Cache: c.cache, Access: access}
	if c.rehearsal != nil {
		s.Scenario = c.rehearsal.Scenario
	}
	return s, nil
}

func (c previewer) releaseKey(usual []byte) ([]byte, error) {
	if c.rehearsal != nil || c.request.ReleaseKey == "" {
		return usual, nil
	}
	return c.request.ReadReleaseKey()
}

// checkPrefix marks temporary folders of checks. Other files in the folder are kept.
const checkPrefix = ".exoshift-check-"

// removeLeftovers removes the leftovers of killed checks.
func (c previewer) removeLeftovers() error {
	entries, err := os.ReadDir(c.draft.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), checkPrefix) {
			err = errors.Join(err, os.RemoveAll(c.draft.Path(entry.Name())))
		}
	}
	return err
}

// runChecks runs the preflight in a temporary folder.
func (c previewer) runChecks(ctx context.Context, spec state.Spec, secrets wizard.Secrets, emit func(wizard.CheckState)) error {
	end, err := c.running.begin()
	if err != nil {
		return err
	}
	defer end()
	dir, err := os.MkdirTemp(c.draft.Path(), checkPrefix)
	if err != nil {
		return fault.New(fault.Internal, "make a folder for the checks", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	folder, err := state.OpenReadOnly(dir)
	if err != nil {
		return err
	}
	s, err := c.newRun(ctx, spec, secrets, folder)
	if err != nil {
		return err
	}
	world, disconnect, err := s.OpenClients(state.NoJournal{}, func(string) {})
	if err != nil {
		return err
	}
	defer disconnect()
	emit = serializeCalls(emit)
	rows, reaching := connectivityStates{emit: emit}, s.NewReachability()
	reaching.OnBegin = func(checks []reach.Check) { rows.emitPending(reach.Workstation, checks) }
	reaching.OnResult = rows.emitResult
	world.Reach = reaching
	installation, err := install.New(spec, s.NewRecipe(), folder, world.ReadOnly())
	if err != nil {
		return err
	}
	steps := slices.DeleteFunc(installation.Plan(), func(s provisioner.Step) bool { return s.Phase != install.Preflight })
	var blamed sync.Map // field by the ID of the check
	for n, step := range steps {
		steps[n].Do = func(ctx context.Context, report provisioner.Report) error {
			err := step.Do(ctx, report)
			blamed.Store(step.ID, fault.FieldOf(err))
			return err
		}
	}
	return provisioner.Run(ctx, steps, provisioner.Stream(s.Net.Clock, TrackCheckStates(steps, &blamed, emit)))
}

// serializeCalls allows one call of emit at a time.
func serializeCalls(emit func(wizard.CheckState)) func(wizard.CheckState) {
	var mu sync.Mutex
	return func(s wizard.CheckState) {
		mu.Lock()
		defer mu.Unlock()
		emit(s)
	}
}

func formatEventText(steps provisioner.Plan, e provisioner.Event) string {
	if e.Reason != provisioner.Unreached {
		return e.Text
	}
	for _, step := range steps {
		if named := strings.Replace(e.Text, "because "+step.ID+" ", fmt.Sprintf("because %q ", step.Title), 1); named != e.Text {
			return named
		}
	}
	return e.Text
}

// TrackCheckStates reports the state of each check at the start and with each event. blamed has the steps that others failed because of.
func TrackCheckStates(steps provisioner.Plan, blamed *sync.Map, emit func(wizard.CheckState)) func(provisioner.Event) {
	states := map[string]wizard.CheckState{}
	for _, step := range steps {
		states[step.ID] = wizard.CheckState{ID: step.ID, Title: step.Title}
		emit(states[step.ID])
	}
	return func(e provisioner.Event) {
		if e.Type != provisioner.TypeStep {
			return
		}
		check := states[e.Step]
		check.State, check.Hint = e.State, e.Hint
		if e.Text != "" && e.State != provisioner.Started {
			check.Text = formatEventText(steps, e)
		}
		if field, known := blamed.Load(e.Step); known {
			check.Field, _ = field.(string)
		}
		states[e.Step] = check
		emit(check)
	}
}

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
	state := wizard.CheckState{ID: result.ID, Title: check.Title, Text: result.Describe(), Hint: result.Hint, Reach: &wizard.ReachState{Check: check, Result: result}}
	switch result.Verdict {
	case reach.Fail:
		state.State = provisioner.Failed
	case reach.Skipped:
		state.State = provisioner.Skipped
	default:
		state.State = provisioner.Done
	}
	s.emit(state)
}

func (c previewer) runZoneChecks(ctx context.Context, spec state.Spec, secrets wizard.Secrets, emit func(wizard.CheckState)) error {
	end, err := c.running.begin()
	if err != nil {
		return err
	}
	defer end()
	net, err := c.environment.OpenNetwork(ctx, spec.Exoscale.Zone)
	if err != nil {
		return err
	}
	survey, err := connectivity.NewChecker(ctx, net, connectivity.Subject{Spec: spec, Secrets: secrets, Rehearsed: c.rehearsal != nil}, nil, nil)
	if err != nil {
		return err
	}
	if c.rehearsal != nil {
		survey.SetDir(func() (string, error) { return c.draft.Path(checkPrefix + "zone"), nil })
	}
	states := connectivityStates{emit: emit}
	states.emitPending(reach.Zone, survey.ListChecks(reach.Zone))
	_, err = survey.Run(ctx, reach.Zone, nil, states.emitResult, func(string) {})
	return err
}
