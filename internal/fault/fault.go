// Package fault is the one error type of the program: what was being done, of which kind the failure is, what
// caused it and what to do next. Kinds decide on retries and exit codes; words only explain.
package fault

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"exoshift/internal/text"
)

// Kind says what sort of failure an error is.
type Kind int

// The kinds, from the least to the most specific knowledge about a failure.
const (
	Internal  Kind = iota // a defect of the program, or a failure nobody classified
	Invalid               // the input is wrong
	Denied                // credentials or permissions
	Quota                 // a quota or the capacity of the cloud
	Conflict              // several candidates, or a name that somebody else holds
	NotFound              // the object does not exist
	Transient             // the same call may succeed later
	Timeout               // a wait reached its limit
	Waiting               // a human has to act
	Cancelled             // the operator stopped the run
)

// Error is a failure with its operation, kind, cause and the next thing to do.
type Error struct {
	Op    string // what was being done, e.g. "create instance master-0"
	Kind  Kind
	Hint  string // the next thing to do, in the imperative; may be empty
	Field string // key of the answer that has to change, e.g. "sizing.workers.type"; empty if it is not known
	Err   error  // the cause
}

// New returns an *Error; a nil cause is allowed when op says everything.
func New(kind Kind, op string, cause error) *Error { return &Error{Op: op, Kind: kind, Err: cause} }

// Newf returns an *Error whose cause is made from a format.
func Newf(kind Kind, op, format string, args ...any) *Error {
	return New(kind, op, fmt.Errorf(format, args...))
}

// WithHint returns a copy that carries the next thing to do.
func (e *Error) WithHint(format string, args ...any) *Error {
	hinted := *e
	hinted.Hint = fmt.Sprintf(format, args...)
	return &hinted
}

// WithField returns a copy that names the answer which has to change.
func (e *Error) WithField(field string) *Error {
	about := *e
	about.Field = field
	return &about
}

// AttachField names the answer that has to change in a failure of one of these kinds, unless it names one itself. What wraps a
// failure keeps its own words, and is left as it is.
func AttachField(err error, field string, kinds ...Kind) error {
	failure, plain := err.(*Error) //nolint:errorlint // see above
	if !plain || FieldOf(err) != "" || !slices.Contains(kinds, failure.Kind) {
		return err
	}
	return failure.WithField(field)
}

// Error returns the operation and the cause, without anything in the words of others that could steer a terminal.
func (e *Error) Error() string {
	if e.Err == nil {
		return text.Sanitize(e.Op, text.WithLines)
	}
	return text.Sanitize(e.Op+": "+e.Err.Error(), text.WithLines)
}

func (e *Error) Unwrap() error { return e.Err }

// Advice returns the next thing to do: the error's own hint, or the first one of its causes.
func (e *Error) Advice() string { return HintOf(e) }

// KindOf returns the kind of the outermost *Error in err's chain; a cancelled context is Cancelled, an expired one
// Timeout, anything else Internal.
func KindOf(err error) Kind {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Kind
	case errors.Is(err, context.Canceled):
		return Cancelled
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout
	}
	return Internal
}

// Is tells whether err is of the given kind.
func Is(err error, kind Kind) bool { return err != nil && KindOf(err) == kind }

// HintOf returns the first hint in err's chain, or in one of those that were joined, or "".
func HintOf(err error) string {
	return text.Sanitize(findFirst(err, func(e *Error) string { return e.Hint }), text.WithLines)
}

// FieldOf returns the key of the answer that has to change: the first one in err's chain, or in one of those that were
// joined, or "".
func FieldOf(err error) string {
	return findFirst(err, func(e *Error) string { return e.Field })
}

// findFirst returns the first text that is not empty, depth first.
func findFirst(err error, part func(*Error) string) string {
	if e, plain := err.(*Error); plain && part(e) != "" { //nolint:errorlint // the chain is walked here
		return part(e)
	}
	switch wrapping := err.(type) { //nolint:errorlint // the chain is walked here
	case interface{ Unwrap() error }:
		return findFirst(wrapping.Unwrap(), part)
	case interface{ Unwrap() []error }:
		for _, one := range wrapping.Unwrap() {
			if found := findFirst(one, part); found != "" {
				return found
			}
		}
	}
	return ""
}
