package session_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/reach"
	"exoshift/wizard/session"
)

// probe is a check of connectivity that has failed if verdict is Fail.
func probe(source, id string, verdict reach.Verdict) wizard.CheckState {
	state := provisioner.Done
	if verdict == reach.Fail {
		state = provisioner.Failed
	}
	return wizard.CheckState{ID: id, Title: id, State: state, Reach: &wizard.ReachState{
		Check: reach.Check{ID: id}, Result: reach.Result{ID: id, Source: source, Verdict: verdict},
	}}
}

// newChecked returns an interview whose checks report these states and then err.
func newChecked(t *testing.T, err error, states ...wizard.CheckState) *interview {
	return newInterview(t, func(i *wizard.Interview) {
		i.Check = func(_ context.Context, _ state.Spec, _ wizard.Secrets, emit func(wizard.CheckState)) error {
			for _, now := range states {
				emit(now)
			}
			return err
		}
		i.CheckFromZone = func(_ context.Context, _ state.Spec, _ wizard.Secrets, emit func(wizard.CheckState)) error {
			emit(probe(reach.Zone, "NET-RH-002", reach.Fail))
			return nil
		}
	})
}

func TestCheckRuns_PassForPresentAnswersOnly(t *testing.T) {
	i := newChecked(t, nil, wizard.CheckState{ID: "a", State: provisioner.Done}, probe(reach.Workstation, "NET-RH-001", reach.Warn))
	if i.Checks.HavePassed() {
		t.Error("passed without a run")
	}
	work := i.Checks.StartLocal(session.CheckEvents{})
	if !i.Checks.IsRunning() || i.Checks.HavePassed() {
		t.Error("passed while they run")
	}
	if i.work(t, work); !i.Checks.HavePassed() {
		t.Error("not passed")
	}
	i.set(t, "cluster.id", "c-demo-2")
	if i.Checks.HavePassed() || i.Checks.Local.IsCurrent() || !i.Checks.Local.IsKnown() {
		t.Error("the results are about other answers")
	}
}

func TestCheckRuns_ReportsEachChangeOnce(t *testing.T) {
	started := wizard.CheckState{ID: "a", State: provisioner.Started}
	again := probe(reach.Workstation, "NET-RH-001", reach.OK)
	i := newChecked(t, nil, wizard.CheckState{ID: "a"}, started, started, again, again, probe(reach.Zone, "NET-RH-001", reach.OK))
	var news []bool
	ended := 0
	i.work(t, i.Checks.StartLocal(session.CheckEvents{
		Changed: func(_ wizard.CheckState, isNews bool) { news = append(news, isNews) }, Ended: func() { ended++ },
	}))
	if want := []bool{false, true, false, true, false, true}; !slices.Equal(news, want) || ended != 1 {
		t.Errorf("got %v, want %v; ended %d times", news, want, ended)
	}
}

func TestCheckRun_CountsServicesWithoutFailedStep(t *testing.T) {
	services := []wizard.CheckState{probe(reach.Workstation, "NET-RH-001", reach.Fail), probe(reach.Workstation, "NET-RH-002", reach.Fail)}
	i := newChecked(t, nil, services...)
	if i.work(t, i.Checks.StartLocal(session.CheckEvents{})); i.Checks.Local.CountFailed() != 2 || !i.Checks.HasFailed() {
		t.Errorf("%d failed", i.Checks.Local.CountFailed())
	}
	i = newChecked(t, nil, append(services, wizard.CheckState{ID: "reachability", State: provisioner.Failed})...)
	if i.work(t, i.Checks.StartLocal(session.CheckEvents{})); i.Checks.Local.CountFailed() != 1 {
		t.Errorf("%d failed", i.Checks.Local.CountFailed())
	}
}

func TestCheckRun_StepTimes(t *testing.T) {
	var i *interview
	i = newInterview(t, func(given *wizard.Interview) {
		given.Check = func(_ context.Context, _ state.Spec, _ wizard.Secrets, emit func(wizard.CheckState)) error {
			for _, state := range []string{provisioner.Started, provisioner.Progress, provisioner.Done} {
				emit(wizard.CheckState{ID: "a", State: state})
				i.now = i.now.Add(time.Second)
			}
			return nil
		}
	})
	i.work(t, i.Checks.StartLocal(session.CheckEvents{}))
	if steps := i.Checks.Steps(); len(steps) != 1 || steps[0].Ended.Sub(steps[0].Began) != 2*time.Second || i.Checks.Local.Ended().Sub(i.Checks.Local.Began()) != 3*time.Second {
		t.Errorf("got %+v", steps)
	}
}

func TestCheckRuns_ErrorIsAStepUnlessOneFailed(t *testing.T) {
	broken := fault.Newf(fault.Invalid, "run", "no network").WithHint("connect it").WithField("cluster.id")
	i := newChecked(t, broken)
	i.work(t, i.Checks.StartLocal(session.CheckEvents{}))
	steps := i.Checks.Steps()
	if len(steps) != 1 || steps[0].State != provisioner.Failed || steps[0].Hint != "connect it" || steps[0].Field != "cluster.id" || i.Checks.HavePassed() {
		t.Errorf("got %+v", steps)
	}
	i = newChecked(t, broken, wizard.CheckState{ID: "a", State: provisioner.Failed})
	if i.work(t, i.Checks.StartLocal(session.CheckEvents{})); len(i.Checks.Steps()) != 1 || len(i.Checks.Local.Failures()) != 0 {
		t.Errorf("got %+v", i.Checks.Steps())
	}
}

func TestCheckRuns_StoppedRunHasNoResult(t *testing.T) {
	i := newChecked(t, nil, wizard.CheckState{ID: "a", State: provisioner.Done})
	work := i.Checks.StartLocal(session.CheckEvents{})
	i.Checks.Stop()
	if i.work(t, work); i.Checks.IsRunning() || i.Checks.Local.IsKnown() || len(i.Checks.Steps()) != 0 {
		t.Error("the stopped run has a result")
	}
	i = newChecked(t, context.Canceled)
	if i.work(t, i.Checks.StartLocal(session.CheckEvents{})); i.Checks.Local.IsKnown() || i.Checks.IsRunning() || len(i.Checks.Steps()) != 0 {
		t.Error("a cancelled run has a result")
	}
}

func TestCheckRuns_ZoneResultsHoldUntilChange(t *testing.T) {
	i := newChecked(t, nil)
	i.work(t, i.Checks.StartLocal(session.CheckEvents{}))
	i.work(t, i.Checks.StartZone(session.CheckEvents{}))
	if i.work(t, i.Checks.StartLocal(session.CheckEvents{})); i.Checks.HavePassed() {
		t.Error("what the zone cannot reach is forgotten")
	}
	i.set(t, "cluster.id", "c-demo-2")
	if i.work(t, i.Checks.StartLocal(session.CheckEvents{})); !i.Checks.HavePassed() {
		t.Error("results about other answers block")
	}
}

func TestCheckRuns_SkipKeepsOtherZoneResults(t *testing.T) {
	i := newChecked(t, nil, probe(reach.Workstation, "NET-RH-002", reach.Fail))
	i.work(t, i.Checks.StartLocal(session.CheckEvents{}))
	i.work(t, i.Checks.StartZone(session.CheckEvents{}))
	if err := i.Checks.Skip("NET-RH-002", "no end"); err == nil || !i.Checks.HasFailed() {
		t.Error("skipped without an end")
	}
	if err := i.Checks.Skip("NET-RH-002", "a mirror is used until 2026-06-01"); err != nil {
		t.Fatal(err)
	}
	results := i.Checks.Zone.Results()
	if i.Checks.HasFailed() || !i.Checks.Zone.IsCurrent() || len(results) != 1 || results[0].Evidence[reach.EvidenceUntil] != "2026-06-01" {
		t.Errorf("%v, %v, %+v", i.Checks.HasFailed(), i.Checks.Zone.IsCurrent(), results)
	}
}

func TestCheckRuns_ZoneErrorBlocksNothing(t *testing.T) {
	i := newChecked(t, nil)
	i.Interview.CheckFromZone = func(context.Context, state.Spec, wizard.Secrets, func(wizard.CheckState)) error {
		return errors.New("no machine is left")
	}
	i.work(t, i.Checks.StartLocal(session.CheckEvents{}))
	i.work(t, i.Checks.StartZone(session.CheckEvents{}))
	if steps := i.Checks.Steps(); len(steps) != 1 || !steps[0].Warning || !i.Checks.HavePassed() || i.Checks.Zone.IsKnown() {
		t.Errorf("%+v, passed: %v", steps, i.Checks.HavePassed())
	}
	if i.work(t, i.Checks.StartLocal(session.CheckEvents{})); len(i.Checks.Steps()) != 0 {
		t.Error("the error is still listed")
	}
}

func TestCheckRuns_OneMachineInTheZone(t *testing.T) {
	i, entered, deleted, left := newChecked(t, nil), make(chan struct{}), make(chan struct{}), make(chan struct{})
	i.Interview.CheckFromZone = func(ctx context.Context, _ state.Spec, _ wizard.Secrets, _ func(wizard.CheckState)) error {
		close(entered)
		<-ctx.Done()
		<-deleted
		return ctx.Err()
	}
	work := i.Checks.StartZone(session.CheckEvents{})
	go work(t.Context(), func(func()) {})
	<-entered
	if why, ok := i.Checks.CanCheckZone(); ok || why != "" {
		t.Errorf("during a run: %q, %v", why, ok)
	}
	i.Checks.Stop()
	if why, ok := i.Checks.CanCheckZone(); ok || why == "" {
		t.Errorf("while the machine is deleted: %q, %v", why, ok)
	}
	go func() { i.Checks.WaitZone(); close(left) }()
	select {
	case <-left:
		t.Error("it does not wait")
	default:
	}
	close(deleted)
	<-left
	if _, ok := i.Checks.CanCheckZone(); !ok {
		t.Error("no other run can be started after that")
	}
}

func TestReviewRun_IsAboutItsAnswers(t *testing.T) {
	i := newInterview(t, func(given *wizard.Interview) {
		given.Review = func(_ context.Context, spec state.Spec, _ wizard.Secrets) (wizard.Review, error) {
			if spec.Cluster.ID == "c-broken" {
				return wizard.Review{}, fault.Newf(fault.Invalid, "plan", "no such type").WithField("cluster.id")
			}
			return wizard.Review{Export: spec.Cluster.ID}, nil
		}
	})
	i.set(t, "cluster.id", "c-demo-1")
	ended := 0
	work := i.Plan.Start(func() { ended++ })
	i.Plan.Stop()
	if i.work(t, work); ended != 0 || i.Plan.IsRunning() || i.Plan.IsKnown() {
		t.Error("a stopped run has a result")
	}
	if i.work(t, i.Plan.Start(func() { ended++ })); ended != 1 || !i.Plan.IsCurrent() || i.Plan.Review().Export != "c-demo-1" {
		t.Errorf("%d, %v, %+v", ended, i.Plan.IsCurrent(), i.Plan.Review())
	}
	if i.set(t, "cluster.id", "c-broken"); i.Plan.IsCurrent() || !i.Plan.IsKnown() {
		t.Error("the review is about other answers")
	}
	i.work(t, i.Plan.Start(nil))
	if failure, failed := i.Plan.Failure(); !failed || failure.Field != "cluster.id" || i.Plan.IsCurrent() || i.Plan.Review().Export != "" {
		t.Errorf("%+v, %v, %v", failure, failed, i.Plan.IsCurrent())
	}
}
