package session

import (
	"context"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/wizard"
)

// ReviewRun reads what an installation would do now.
type ReviewRun struct {
	attempt
	review wizard.Review
	err    error
}

func newReviewRun(s *Session, now func() time.Time) *ReviewRun {
	return &ReviewRun{attempt: attempt{session: s, now: now}}
}

// Start starts to read, and calls ended with the result known; it may be nil. A stopped run has no result.
func (r *ReviewRun) Start(ended func()) Work {
	r.review, r.err = wizard.Review{}, nil
	return r.start(func(ctx context.Context, spec state.Spec, secrets wizard.Secrets, post func(func())) {
		var review wizard.Review
		var err error
		if read := r.session.Interview.Review; read != nil {
			review, err = read(ctx, spec, secrets)
		}
		post(func() {
			r.review, r.err = review, err
			if r.finish(true); ended != nil {
				ended()
			}
		})
	})
}

// Review returns what was read last.
func (r *ReviewRun) Review() wizard.Review { return r.review }

// IsCurrent reports whether there is a review, and it is about the present answers.
func (r *ReviewRun) IsCurrent() bool { return r.err == nil && r.attempt.IsCurrent() }

// HasFailed reports whether the latest run found no plan.
func (r *ReviewRun) HasFailed() bool { return r.known && r.err != nil }

// Failure returns why there is no plan.
func (r *ReviewRun) Failure() (failure CheckStep, failed bool) {
	if !r.HasFailed() {
		return CheckStep{}, false
	}
	return newFailure("No plan", r.err), true
}

// Blocker returns the reason why the reviewed cluster cannot be created; "" if there is none.
func (r *ReviewRun) Blocker() string { return DescribeBlocker(r.session, r.review) }

// newFailure is the step of a run that could not be made.
func newFailure(title string, err error) CheckStep {
	return CheckStep{CheckState: wizard.CheckState{
		Title: title, State: provisioner.Failed, Text: err.Error(), Hint: fault.HintOf(err), Field: fault.FieldOf(err),
	}}
}
