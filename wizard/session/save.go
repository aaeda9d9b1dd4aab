package session

import (
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"exoshift/internal/fault"
	"exoshift/wizard"
)

// Saves runs what must not be lost, one job at a time: it saves secrets and the draft. The draft is saved once all other jobs have
// ended; versions in between are skipped.
type Saves struct {
	interview *wizard.Interview
	answers   func() *wizard.Answers // a copy of the latest ones
	now       func() time.Time
	jobs      []job
	dirty     bool // the latest answers are not saved
	running   job  // runs once, whoever calls it first
	savedAt   time.Time
	err       error
	secrets   map[string]secretState // by key
}

// A job runs in any goroutine and returns what to do with its result on the session's.
type job func() (finish func())

// secretState is that of a typed secret, until the answer refers to its file.
type secretState struct {
	saving bool
	err    error
}

// Start starts the next job and returns the function that runs it in any goroutine; nil if there is none, or while another one
// runs. Once it has returned, Finish has to be called.
func (q *Saves) Start() func() {
	if q.running != nil || !q.takeNext() {
		return nil
	}
	run := q.running
	return func() { run() }
}

// Finish waits for the running job and applies its result.
func (q *Saves) Finish() {
	if run := q.running; run != nil {
		q.running = nil
		run()()
	}
}

// Flush runs all jobs to their end.
func (q *Saves) Flush() {
	for q.running != nil || q.takeNext() {
		q.Finish()
	}
}

// close also retries what failed.
func (q *Saves) close() error {
	q.dirty = q.dirty || q.err != nil
	q.Flush()
	return q.err
}

func (q *Saves) takeNext() bool {
	switch {
	case len(q.jobs) > 0:
		q.running, q.jobs = sync.OnceValue(q.protect(q.jobs[0])), q.jobs[1:]
	case q.dirty:
		q.running, q.dirty = sync.OnceValue(q.protect(q.saveDraft(q.answers()))), false
	default:
		return false
	}
	return true
}

// protect turns a panic into an error, so that the jobs after it still run.
func (q *Saves) protect(do job) job {
	return func() (finish func()) {
		defer func() {
			if p := recover(); p != nil {
				err := fault.New(fault.Internal, "save", fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
				finish = func() { q.err = err }
			}
		}()
		return do()
	}
}

func (q *Saves) saveDraft(answers *wizard.Answers) job {
	return func() func() {
		var err error
		if q.interview.Save != nil {
			err = q.interview.Save(answers)
		}
		return func() {
			if q.err = err; err == nil {
				q.savedAt = q.now()
			}
		}
	}
}

// LastSaved returns when the draft was saved last, and why a later attempt failed; the next answer retries.
func (q *Saves) LastSaved() (at time.Time, err error) { return q.savedAt, q.err }

// Export writes the answers file beside the draft, and passes its path to done on the session's goroutine. It reports whether the
// interview can do so.
func (q *Saves) Export(done func(path string, err error)) bool {
	if q.interview.Export == nil {
		return false
	}
	answers := q.answers()
	q.jobs = append(q.jobs, func() func() {
		path, err := q.interview.Export(answers)
		return func() { done(path, err) }
	})
	return true
}

// SaveSecret saves a secret in a file of its own, and passes the reference to it to store on the session's goroutine.
func (q *Saves) SaveSecret(key, secret string, store func(reference string) error) {
	q.secrets[key] = secretState{saving: true}
	q.jobs = append(q.jobs, func() func() {
		reference, err := q.interview.SaveSecret(key, secret)
		return func() {
			delete(q.secrets, key)
			if err == nil {
				err = store(reference)
			}
			if err != nil {
				q.secrets[key] = secretState{err: err}
			}
		}
	})
}

// Secret reports whether a typed secret is being saved, and why the last attempt failed.
func (q *Saves) Secret(key string) (saving bool, err error) {
	return q.secrets[key].saving, q.secrets[key].err
}
