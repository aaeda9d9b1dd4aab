package provisioner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Clock is a run's source of time.
type Clock interface {
	Now() time.Time
	Sleep(context.Context, time.Duration) error
}

// An unchanged wait is emitted again at this interval, so that a log shows that the program is running.
const heartbeat = time.Minute

// PollUntil turns a check into the body of a step: the check is repeated until it returns nil, at the full multiples of
// every, so that waits of the same interval check at the same moments and can share a poll. Its error is the sentence on
// the screen while the step waits and, once limit has passed, the cause of the failure, a *LimitError.
func PollUntil(clock Clock, every, limit time.Duration, check StepFunc) StepFunc {
	return func(ctx context.Context, report Report) error {
		since, wait := clock.Now(), WaitEmitter{Clock: clock}
		for {
			err := check(ctx, report)
			switch {
			case err == nil:
				return nil
			case ctx.Err() != nil:
				return context.Cause(ctx)
			}
			now := clock.Now()
			if now.Sub(since) >= limit && !isProgressing(err) {
				return &LimitError{Limit: limit, Err: err}
			}
			wait.Emit(report, Event{Since: &since, Limit: limit.Seconds(), Last: describeLast(err)})
			if err := clock.Sleep(ctx, now.Truncate(every).Add(every).Sub(now)); err != nil {
				return err
			}
		}
	}
}

// describeLast returns what was seen last, without the operation that it is waited for, which the step says already.
func describeLast(err error) string {
	op, cause, found := strings.Cut(err.Error(), ": ")
	if found && (op == "wait" || strings.HasPrefix(op, "wait for ")) {
		return cause
	}
	return err.Error()
}

// WaitEmitter emits what a step waits for when that has changed, and once a minute.
type WaitEmitter struct {
	Clock Clock

	last string
	at   time.Time // of the last event
}

// Emit emits a wait, whose Since, Limit and Last are given.
func (w *WaitEmitter) Emit(report Report, wait Event) {
	now := w.Clock.Now()
	if wait.Last == w.last && now.Sub(w.at) < heartbeat {
		return
	}
	w.last, w.at = wait.Last, now
	wait.Type = TypeWait
	report(wait)
}

// Progressing marks the error of a check that is not met yet, but makes progress: a wait continues beyond its limit while
// its check returns it. What is slow is not broken.
func Progressing(err error) error { return progressing{err} }

type progressing struct{ error }

func (m progressing) Unwrap() error { return m.error }

func isProgressing(err error) bool {
	var m progressing
	return errors.As(err, &m)
}

// LimitError is the end of a wait that reached its limit. Err is what it was still waiting for.
type LimitError struct {
	Limit time.Duration
	Err   error
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("gave up after %s: %v", formatLimit(e.Limit), e.Err)
}

// formatLimit leaves out zero units: 1h, 45m.
func formatLimit(limit time.Duration) string {
	words := limit.String()
	if short, cut := strings.CutSuffix(words, "m0s"); cut {
		words = short + "m"
	}
	if short, cut := strings.CutSuffix(words, "h0m"); cut {
		words = short + "h"
	}
	return words
}

func (e *LimitError) Unwrap() error { return e.Err }
