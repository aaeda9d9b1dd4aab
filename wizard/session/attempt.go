package session

import (
	"context"
	"reflect"
	"time"

	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/local"
)

// attempt is the latest run of something that depends on all answers. What it finds is about the answers at its start.
type attempt struct {
	session        *Session
	now            func() time.Time
	run            run
	spec           state.Spec
	began, ended   time.Time
	running, known bool
}

// start replaces an earlier run.
func (a *attempt) start(do func(ctx context.Context, spec state.Spec, secrets wizard.Secrets, post func(func()))) Work {
	spec := a.session.Spec()
	a.spec, a.began, a.running, a.known = spec, a.now(), true, false
	return a.run.start(func(ctx context.Context, post func(func())) {
		secrets, _ := local.ResolveSecrets(spec, a.session.Interview.LookupEnv)
		do(ctx, spec, secrets, post)
	})
}

// finish ends the run; known tells whether there is a result.
func (a *attempt) finish(known bool) {
	a.running, a.known, a.ended = false, known, a.now()
}

// Stop cancels the run, if there is one; it finds nothing then.
func (a *attempt) Stop() {
	a.run.stop()
	a.running = false
}

// IsRunning reports whether it runs.
func (a *attempt) IsRunning() bool { return a.running }

// IsKnown reports whether the latest run has ended by itself, whatever the answers are now.
func (a *attempt) IsKnown() bool { return a.known }

// IsCurrent reports whether there is a result, and it is about the present answers.
func (a *attempt) IsCurrent() bool {
	return a.known && reflect.DeepEqual(a.spec, a.session.Spec())
}

// Spec returns the answers at the start of the latest run.
func (a *attempt) Spec() state.Spec { return a.spec }

// Began returns when the latest run started.
func (a *attempt) Began() time.Time { return a.began }

// Ended returns when the latest run that ended by itself did so.
func (a *attempt) Ended() time.Time { return a.ended }
