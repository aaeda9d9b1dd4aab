package session

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"exoshift/internal/stable"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/reach"
)

// CheckStep is a check of a run, other than those of connectivity; or the reason why the run could not be made.
type CheckStep struct {
	wizard.CheckState
	Began, Ended time.Time
	Warning      bool // it blocks nothing
}

// HasEnded reports whether a check is over, with whatever result.
func HasEnded(s wizard.CheckState) bool {
	return s.State == provisioner.Done || s.State == provisioner.Failed || s.State == provisioner.Skipped
}

// CheckEvents is how a run is shown. Its functions are called on the session's goroutine; each may be nil.
type CheckEvents struct {
	// Changed is called for every report of a check. isNews is false if there is nothing to say about it: it was not started
	// yet, or its state and text are those of the report before.
	Changed func(now wizard.CheckState, isNews bool)
	Ended   func() // the run has ended, unless it was stopped
}

// CheckRun is the latest run of the checks from one place, and its results.
type CheckRun struct {
	attempt
	steps     []CheckStep
	failures  []CheckStep         // why the run could not be made
	endpoints []wizard.CheckState // checks of connectivity, one for each ID and source
}

type checkFunc func(ctx context.Context, spec state.Spec, secrets wizard.Secrets, emit func(wizard.CheckState)) error

// start calls failed with the error of a run, unless that is its cancellation.
func (r *CheckRun) start(check checkFunc, failed func(error), events CheckEvents) Work {
	r.clear()
	return r.attempt.start(func(ctx context.Context, spec state.Spec, secrets wizard.Secrets, post func(func())) {
		var err error
		if check != nil {
			err = check(ctx, spec, secrets, func(now wizard.CheckState) {
				post(func() {
					if isNews := r.record(now); events.Changed != nil {
						events.Changed(now, isNews)
					}
				})
			})
		}
		post(func() {
			if errors.Is(err, context.Canceled) {
				r.finish(false)
			} else {
				r.finish(true)
				if err != nil {
					failed(err)
				}
			}
			if events.Ended != nil {
				events.Ended()
			}
		})
	})
}

func (r *CheckRun) clear() { r.steps, r.failures, r.endpoints, r.known = nil, nil, nil, false }

// record notes a report, and returns whether there is something to say about it.
func (r *CheckRun) record(now wizard.CheckState) (isNews bool) {
	if now.Reach != nil {
		return r.recordEndpoint(now)
	}
	i := slices.IndexFunc(r.steps, func(step CheckStep) bool { return step.ID == now.ID })
	if i < 0 {
		i = len(r.steps)
		r.steps = append(r.steps, CheckStep{})
	}
	step := &r.steps[i]
	isNews = now.State != "" && step.CheckState != now
	switch step.CheckState = now; {
	case now.State == provisioner.Started && step.Began.IsZero():
		step.Began = r.now()
	case HasEnded(now):
		step.Ended = r.now()
	}
	return isNews
}

func (r *CheckRun) recordEndpoint(now wizard.CheckState) (isNews bool) {
	i := slices.IndexFunc(r.endpoints, func(s wizard.CheckState) bool {
		return s.ID == now.ID && s.Reach.Result.Source == now.Reach.Result.Source
	})
	if i < 0 {
		r.endpoints = append(r.endpoints, now)
		return now.State != ""
	}
	before, bare := r.endpoints[i], now
	before.Reach, bare.Reach = nil, nil
	r.endpoints[i] = now
	return now.State != "" && before != bare
}

// Failures returns why the run could not be made; empty if a check that failed is the reason.
func (r *CheckRun) Failures() []CheckStep { return r.failures }

// HasEndpoints reports whether connectivity is checked.
func (r *CheckRun) HasEndpoints() bool { return len(r.endpoints) > 0 }

// CountFailed returns the number of failed checks. Those of connectivity count only without a failed step: the step that makes
// them all fails with them.
func (r *CheckRun) CountFailed() int {
	steps, endpoints := 0, 0
	for _, step := range slices.Concat(r.steps, r.failures) {
		if step.State == provisioner.Failed {
			steps++
		}
	}
	for _, state := range r.endpoints {
		if verdict := state.Reach.Result.Verdict; verdict == reach.Fail || verdict == "" && state.State == provisioner.Failed {
			endpoints++
		}
	}
	if steps > 0 {
		return steps
	}
	return endpoints
}

// Results returns the results of the checks of connectivity that have one, ordered by ID.
func (r *CheckRun) Results() []reach.Result {
	var results []reach.Result
	for _, state := range r.endpoints {
		if state.Reach.Result.Verdict != "" {
			results = append(results, state.Reach.Result)
		}
	}
	stable.Sort(results, func(a, b reach.Result) int { return strings.Compare(a.ID, b.ID) })
	return results
}

// Causes returns what several results of connectivity have in common.
func (r *CheckRun) Causes() []reach.Cause {
	return reach.CommonCauses(reach.Report{Results: r.Results()})
}

// skip makes results of a check those of a skipped one.
func (r *CheckRun) skip(skip reach.Skip) {
	for i, state := range r.endpoints {
		if state.ID == skip.ID && state.Reach.Result.Verdict != "" {
			r.endpoints[i].State = provisioner.Skipped
			r.endpoints[i].Reach = &wizard.ReachState{Check: state.Reach.Check, Result: skip.Apply(state.Reach.Result)}
		}
	}
}
