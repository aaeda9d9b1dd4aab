package provisioner_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"exoshift/provisioner"
)

// drawPlan makes a plan of steps that sleep, fail, panic or skip, each needing some of those above it.
func drawPlan(t *rapid.T) (provisioner.Plan, map[string]string) {
	ends := map[string]string{}
	var plan provisioner.Plan
	for n := range rapid.IntRange(1, 12).Draw(t, "steps") {
		id := fmt.Sprintf("step-%d", n)
		var needs []string
		for _, above := range plan {
			if rapid.IntRange(0, 3).Draw(t, "needs") == 0 {
				needs = append(needs, above.ID)
			}
		}
		ends[id] = rapid.SampledFrom([]string{"ok", "ok", "ok", "fail", "panic", "skip"}).Draw(t, "end")
		takes := time.Duration(rapid.IntRange(0, 5).Draw(t, "takes")) * time.Second
		plan = append(plan, provisioner.Step{ID: id, Title: id, Needs: needs, Do: ending(ends[id], takes)})
	}
	return plan, ends
}

func ending(end string, takes time.Duration) func(context.Context, provisioner.Report) error {
	return func(_ context.Context, report provisioner.Report) error {
		report(provisioner.Event{Text: "at work"})
		time.Sleep(takes) // virtual: every caller runs in a synctest bubble
		switch end {
		case "fail":
			return errors.New("failed")
		case "panic":
			panic("at the worst moment")
		case "skip":
			return provisioner.Skip("nothing to do")
		}
		return nil
	}
}

func play(t *testing.T, ctx func() context.Context, plan provisioner.Plan) (events []provisioner.Event, err error) {
	synctest.Test(t, func(*testing.T) {
		err = provisioner.Run(ctx(), plan, func(e provisioner.Event) { events = append(events, e) })
	})
	return events, err
}

func states(events []provisioner.Event, id string) []string {
	var seen []string
	for _, e := range events {
		if e.Step == id && e.State != provisioner.Progress {
			seen = append(seen, e.State)
		}
	}
	return seen
}

func TestRun_StepOutcomes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		plan, ends := drawPlan(rt)
		events, err := play(t, t.Context, plan)
		dead := map[string]bool{} // failed, or skipped for a need that did
		failures := 0
		for _, step := range plan {
			want := []string{provisioner.Started, provisioner.Done}
			switch {
			case slices.ContainsFunc(step.Needs, func(need string) bool { return dead[need] }):
				want, dead[step.ID] = []string{provisioner.Skipped}, true
			case ends[step.ID] == "skip":
				want = []string{provisioner.Started, provisioner.Skipped}
			case ends[step.ID] != "ok":
				want, dead[step.ID] = []string{provisioner.Started, provisioner.Failed}, true
				failures++
			}
			if diff := cmp.Diff(want, states(events, step.ID)); diff != "" {
				rt.Fatalf("%s (-want +got):\n%s", step.ID, diff)
			}
		}
		if (err != nil) != (failures > 0) {
			rt.Fatalf("%d failures, but the run's error is %v", failures, err)
		}
	})
}

func TestRun_StepsWaitForNeeds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		plan, _ := drawPlan(rt)
		events, _ := play(t, t.Context, plan)
		ended := map[string]bool{}
		for _, e := range events {
			if e.State == provisioner.Started {
				for _, step := range plan {
					if step.ID == e.Step && slices.ContainsFunc(step.Needs, func(need string) bool { return !ended[need] }) {
						rt.Fatalf("%s started before all of %v had ended", step.ID, step.Needs)
					}
				}
			}
			if e.State == provisioner.Done || e.State == provisioner.Skipped {
				ended[e.Step] = true
			}
		}
	})
}

func TestRun_NotReachedStep(t *testing.T) {
	plan := provisioner.Plan{
		{ID: "a", Title: "a", Do: func(context.Context, provisioner.Report) error { return provisioner.NotReached("b") }},
		{ID: "c", Title: "c", Needs: []string{"a"}, Do: ending("ok", 0)},
	}
	events, err := play(t, t.Context, plan)
	if err != nil {
		t.Error(err)
	}
	board := provisioner.NewBoard(plan)
	for _, e := range events {
		board.Fold(e)
	}
	for n, want := range []string{"not reached, because b did not succeed", "not reached, because a did not succeed"} {
		if step := board.Steps[n]; !step.Unreached || step.State != provisioner.Skipped || step.Text != want {
			t.Errorf("%s is %+v", step.ID, step)
		}
	}
}

func TestRun_IsDeterministic(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		plan, _ := drawPlan(rt)
		for n := range plan {
			plan[n].Do = ending("ok", time.Second<<n) // no two sums are equal, so no two steps end at once
		}
		first, _ := play(t, t.Context, plan)
		second, _ := play(t, t.Context, plan)
		if diff := cmp.Diff(turns(first), turns(second)); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// turns are the starts and ends of steps; events of two steps at the same moment have no order.
func turns(events []provisioner.Event) []provisioner.Event {
	return slices.DeleteFunc(slices.Clone(events), func(e provisioner.Event) bool { return e.State == provisioner.Progress })
}

func starts(events []provisioner.Event) []string {
	var ids []string
	for _, e := range events {
		if e.State == provisioner.Started {
			ids = append(ids, e.Step)
		}
	}
	return ids
}

func TestRun_IndependentStepsAreParallel(t *testing.T) {
	plan := provisioner.Plan{
		{ID: "a", Do: ending("ok", time.Hour)},
		{ID: "b", Do: ending("ok", time.Hour)},
	}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if err := provisioner.Run(t.Context(), plan, func(provisioner.Event) {}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != time.Hour {
			t.Errorf("two hours' steps side by side took %s", took)
		}
	})
}

func TestRun_CancelStartsNothing(t *testing.T) {
	cause := errors.New("the operator left")
	waiting := func(ctx context.Context, _ provisioner.Report) error {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	plan := provisioner.Plan{{ID: "wait", Do: waiting}, {ID: "after", Needs: []string{"wait"}, Do: ending("ok", 0)}}
	events, err := play(t, func() context.Context {
		ctx, cancel := context.WithCancelCause(context.Background())
		time.AfterFunc(time.Minute, func() { cancel(cause) })
		return ctx
	}, plan)
	if !errors.Is(err, cause) {
		t.Errorf("the run ended with %v", err)
	}
	if diff := cmp.Diff([]string{"wait"}, starts(events)); diff != "" {
		t.Error(diff)
	}
}

func TestRun_CancelledStepIsStopped(t *testing.T) {
	waiting := func(ctx context.Context, _ provisioner.Report) error {
		<-ctx.Done()
		return fmt.Errorf("look at the machines: %w", context.Cause(ctx))
	}
	events, _ := play(t, func() context.Context {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Minute, cancel)
		return ctx
	}, provisioner.Plan{{ID: "wait", Do: waiting}})
	if last := events[len(events)-1]; last.State != provisioner.Failed || last.Text != provisioner.Stopped {
		t.Errorf("told as %+v", last)
	}
}

func TestRun_PanicFailsItsStep(t *testing.T) {
	plan := provisioner.Plan{{ID: "broken", Do: ending("panic", 0)}, {ID: "sound", Do: ending("ok", 0)}}
	events, err := play(t, t.Context, plan)
	if err == nil || !strings.Contains(err.Error(), "at the worst moment") || !strings.Contains(err.Error(), "run_test.go") {
		t.Errorf("the run ended with %v", err)
	}
	if got := states(events, "sound"); !slices.Contains(got, provisioner.Done) {
		t.Errorf("the other step went through %v", got)
	}
}

func TestRun_RefusesForwardNeeds(t *testing.T) {
	for name, plan := range map[string]provisioner.Plan{
		"forward need": {{ID: "a", Needs: []string{"b"}}, {ID: "b"}},
		"itself":       {{ID: "a", Needs: []string{"a"}}},
		"unknown":      {{ID: "a", Needs: []string{"x"}}},
		"doubled":      {{ID: "a"}, {ID: "a"}},
		"nameless":     {{}},
	} {
		if err := provisioner.Run(t.Context(), plan, func(provisioner.Event) { t.Errorf("%s: something ran", name) }); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

type advised struct{ error }

func (advised) Advice() string { return "ask for more" }

func TestRun_FailedStepHasHint(t *testing.T) {
	plan := provisioner.Plan{{ID: "a", Do: func(context.Context, provisioner.Report) error {
		return fmt.Errorf("create: %w", advised{errors.New("no room")})
	}}}
	events, _ := play(t, t.Context, plan)
	if hint := events[len(events)-1].Hint; hint != "ask for more" {
		t.Errorf("hint %q", hint)
	}
}
