// Package fault provides the error type of the program: the operation, the kind of failure, its cause and the next action.
// Kinds decide on retries and exit codes; texts only explain.
package fault

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"exoshift/internal/text"
)

// Kind classifies an error.
type Kind int

// The kinds, from the least to the most specific.
const (
	Internal  Kind = iota // a defect of the program, or an unclassified failure
	Invalid               // the input is wrong
	Denied                // credentials or permissions
	Quota                 // a quota or the capacity of the cloud
	Conflict              // several candidates, or a name that is already in use
	NotFound              // the object does not exist
	Transient             // a retry may succeed
	Timeout               // a wait timed out
	Waiting               // action needed
	Cancelled             // the user stopped the run
)

// Error is a failure with its operation, kind, cause and the next action.
type Error struct {
	Op    string // what was being done, e.g. "create instance master-0"
	Kind  Kind
	Hint  string // the next action, in the imperative; may be empty
	Field string // key of the answer to change, e.g. "sizing.workers.type"; empty if unknown
	Err   error  // the cause
}

// New returns an *Error; a nil cause is allowed when op is sufficient.
func New(kind Kind, op string, cause error) *Error { return &Error{Op: op, Kind: kind, Err: cause} }

// Newf returns an *Error with a formatted cause.
func Newf(kind Kind, op, format string, args ...any) *Error {
	return New(kind, op, fmt.Errorf(format, args...))
}

// WithHint returns a copy with a formatted hint.
func (e *Error) WithHint(format string, args ...any) *Error {
	hinted := *e
	hinted.Hint = fmt.Sprintf(format, args...)
	return &hinted
}

// WithField returns a copy that names the answer to change.
func (e *Error) WithField(field string) *Error {
	about := *e
	about.Field = field
	return &about
}

// AttachField sets the field of an error of one of these kinds, unless it has one. An error that wraps an *Error keeps its own
// text and is returned as it is.
func AttachField(err error, field string, kinds ...Kind) error {
	failure, plain := err.(*Error) //nolint:errorlint // see above
	if !plain || FieldOf(err) != "" || !slices.Contains(kinds, failure.Kind) {
		return err
	}
	return failure.WithField(field)
}

// Error returns the operation and the cause, sanitized for terminals.
func (e *Error) Error() string {
	if e.Err == nil {
		return text.Sanitize(e.Op, text.WithLines)
	}
	return text.Sanitize(e.Op+": "+e.Err.Error(), text.WithLines)
}

func (e *Error) Unwrap() error { return e.Err }

// Advice returns the error's own hint, or the first one of its causes.
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

// Is reports whether err is of the given kind.
func Is(err error, kind Kind) bool { return err != nil && KindOf(err) == kind }

// HintOf returns the first hint in err's chain, including joined errors, or "".
func HintOf(err error) string {
	return text.Sanitize(findFirst(err, func(e *Error) string { return e.Hint }), text.WithLines)
}

// FieldOf returns the first field, the key of the answer to change, in err's chain, including joined errors, or "".
func FieldOf(err error) string {
	return findFirst(err, func(e *Error) string { return e.Field })
}

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
