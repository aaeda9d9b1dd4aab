package provisioner

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// Run executes a plan. Steps whose needs are met run side by side, started in plan order; one goroutine receives their
// events and calls emit, so events are totally ordered. The failure of a step skips the steps that need it and nothing
// else. A panic in a step is an ordinary failure of that step. When ctx ends, no further step starts.
//
// The error joins a *StepError for each failed step, in plan order; if the run was cut short by ctx without any failure
// it is ctx's cause.
func Run(ctx context.Context, plan Plan, emit func(Event)) error {
	if err := plan.Validate(); err != nil {
		return err
	}
	r := &run{plan: plan, emit: emit, states: make([]string, len(plan)), messages: make(chan stepMessage)}
	r.start(ctx)
	for r.running > 0 {
		r.handleMessage(<-r.messages)
		r.start(ctx)
	}
	return r.joinFailures(ctx)
}

// run is owned by the goroutine of Run.
type run struct {
	plan     Plan
	emit     func(Event)
	states   []string
	running  int
	messages chan stepMessage
	failures []error
}

type stepMessage struct {
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
		switch need := r.findUnmetNeed(step); {
		case need == "" && ctx.Err() == nil:
			r.emitState(i, Event{State: Started, Text: step.Title})
			r.running++
			go r.execute(ctx, i)
		case need != "" && r.isFailedOrSkipped(need):
			r.emitState(i, Event{State: Skipped, Reason: Unreached, Text: NotReached(need).Error()})
		case ctx.Err() != nil && r.running == 0:
			r.emitState(i, Event{State: Skipped, Reason: Unreached, Text: "not started, because the run was stopped"})
		}
	}
}

func (r *run) findUnmetNeed(step Step) string {
	for _, need := range step.Needs {
		if r.getState(need) != Done {
			return need
		}
	}
	return ""
}

func (r *run) isFailedOrSkipped(id string) bool {
	return r.getState(id) == Failed || r.getState(id) == Skipped
}

func (r *run) getState(id string) string {
	for i, step := range r.plan {
		if step.ID == id {
			return r.states[i]
		}
	}
	return ""
}

func (r *run) execute(ctx context.Context, i int) {
	report := func(e Event) { r.messages <- stepMessage{step: i, event: e} }
	r.messages <- stepMessage{step: i, ended: true, err: callRecovered(ctx, r.plan[i], report)}
}

func callRecovered(ctx context.Context, step Step, report Report) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return step.Do(ctx, report)
}

func (r *run) handleMessage(h stepMessage) {
	if !h.ended {
		r.forward(h.step, h.event)
		return
	}
	r.running--
	var skip skipped
	var unreached notReached
	switch {
	case h.err == nil:
		r.emitState(h.step, Event{State: Done})
	case errors.As(h.err, &skip):
		r.emitState(h.step, Event{State: Skipped, Text: skip.reason})
		r.states[h.step] = Done
	case errors.As(h.err, &unreached):
		r.emitState(h.step, Event{State: Skipped, Reason: Unreached, Text: unreached.Error()})
	default:
		r.failures = append(r.failures, &StepError{Step: r.plan[h.step], Err: h.err})
		r.emitState(h.step, Event{State: Failed, Text: formatCause(h.err), Hint: findHint(h.err)})
	}
}

func formatCause(err error) string {
	if errors.Is(err, context.Canceled) {
		return Stopped
	}
	return err.Error()
}

func findHint(err error) string {
	var adviser interface{ Advice() string }
	if errors.As(err, &adviser) {
		return adviser.Advice()
	}
	return ""
}

func (r *run) emitState(i int, e Event) {
	e.Type = TypeStep
	r.states[i] = e.State
	r.forward(i, e)
}

func (r *run) forward(i int, e Event) {
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

func (r *run) joinFailures(ctx context.Context) error {
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
