package provisioner

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// Run executes a plan. Steps whose needs are met run side by side, started in plan order; one goroutine hears them
// all and calls emit itself, so events are totally ordered. The failure of a step skips the steps that need it and
// nothing else. A panic in a step is an ordinary failure of that step. When ctx ends, no further step starts.
//
// The error joins a *StepError for each failed step, in plan order; if the run was cut short by ctx without any
// failure it is ctx's cause.
func Run(ctx context.Context, plan Plan, emit func(Event)) error {
	if err := plan.Validate(); err != nil {
		return err
	}
	r := &run{plan: plan, emit: emit, states: make([]string, len(plan)), heard: make(chan heard)}
	r.start(ctx)
	for r.running > 0 {
		r.hear(<-r.heard)
		r.start(ctx)
	}
	return r.result(ctx)
}

// run is owned by the goroutine of Run.
type run struct {
	plan     Plan
	emit     func(Event)
	states   []string
	running  int
	heard    chan heard
	failures []error
}

// heard is what a running step says: an event, or its end.
type heard struct {
	step  int
	event Event
	ended bool
	err   error
}

func (r *run) start(ctx context.Context) {
	for i, step := range r.plan {
		if r.states[i] != "" {
			continue
		}
		switch need := r.unmet(step); {
		case need == "" && ctx.Err() == nil:
			r.tell(i, Event{State: Started, Text: step.Title})
			r.running++
			go r.do(ctx, i)
		case need != "" && r.dead(need):
			r.tell(i, Event{State: Skipped, Reason: Unreached, Text: fmt.Sprintf("not reached, because %s did not succeed", need)})
		case ctx.Err() != nil && r.running == 0:
			r.tell(i, Event{State: Skipped, Reason: Unreached, Text: "not started, because the run was stopped"})
		}
	}
}

// unmet returns the first need of a step that has not ended well, or "".
func (r *run) unmet(step Step) string {
	for _, need := range step.Needs {
		if r.state(need) != Done {
			return need
		}
	}
	return ""
}

func (r *run) dead(id string) bool { return r.state(id) == Failed || r.state(id) == Skipped }

func (r *run) state(id string) string {
	for i, step := range r.plan {
		if step.ID == id {
			return r.states[i]
		}
	}
	return ""
}

func (r *run) do(ctx context.Context, i int) {
	report := func(e Event) { r.heard <- heard{step: i, event: e} }
	r.heard <- heard{step: i, ended: true, err: guard(ctx, r.plan[i], report)}
}

// guard runs a step's body and turns a panic into its error.
func guard(ctx context.Context, step Step, report Report) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return step.Do(ctx, report)
}

func (r *run) hear(h heard) {
	if !h.ended {
		r.pass(h.step, h.event)
		return
	}
	r.running--
	var skip skipped
	switch {
	case h.err == nil:
		r.tell(h.step, Event{State: Done})
	case errors.As(h.err, &skip):
		r.tell(h.step, Event{State: Skipped, Text: skip.reason})
		r.states[h.step] = Done
	default:
		r.failures = append(r.failures, &StepError{Step: r.plan[h.step], Err: h.err})
		r.tell(h.step, Event{State: Failed, Text: cause(h.err), Hint: advice(h.err)})
	}
}

// cause is why a step ended, for people.
func cause(err error) string {
	if errors.Is(err, context.Canceled) {
		return Stopped
	}
	return err.Error()
}

// advice returns what an error says is to be done next.
func advice(err error) string {
	var adviser interface{ Advice() string }
	if errors.As(err, &adviser) {
		return adviser.Advice()
	}
	return ""
}

func (r *run) tell(i int, e Event) {
	e.Type = TypeStep
	r.states[i] = e.State
	r.pass(i, e)
}

func (r *run) pass(i int, e Event) {
	step := r.plan[i]
	e.Step = step.ID
	if e.Type == "" {
		e.Type, e.State = TypeStep, Progress
	}
	if e.Phase == "" {
		e.Phase = step.Phase
	}
	if e.Type == TypeWait && e.What == "" {
		e.What, e.Usual = step.Title, step.Usual.Seconds()
	}
	r.emit(e)
}

// result joins the failures in plan order.
func (r *run) result(ctx context.Context) error {
	if len(r.failures) == 0 && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var ordered []error
	for _, step := range r.plan {
		for _, failure := range r.failures {
			var e *StepError
			if errors.As(failure, &e) && e.Step.ID == step.ID {
				ordered = append(ordered, failure)
			}
		}
	}
	return errors.Join(ordered...)
}
