// Package exit maps errors to the exit codes of the program, which docs/reference/exit-codes.md describes.
package exit

import (
	"context"
	"errors"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/store"
	"exoshift/provisioner"
	"exoshift/provisioner/destroy"
	"exoshift/provisioner/install"
	"exoshift/provisioner/install/syn"
	"exoshift/state"
	"exoshift/state/lease"
)

// The exit codes are a stable interface.
const (
	OK           = 0
	Internal     = 1
	Usage        = 2
	Answers      = 3
	Warnings     = 4
	Checks       = 5
	Denied       = 6
	Quota        = 7
	Infra        = 10
	Bootstrap    = 11
	ControlPlane = 12
	Nodes        = 13
	Operators    = 14
	Teardown     = 15
	Locked       = 16
	Syn          = 17
	Human        = 20
	Interrupted  = 130
)

// codedError has an exit code of its own, whatever its cause.
type codedError struct {
	error
	code int
}

func (e codedError) Unwrap() error { return e.error }

// WithCode returns err with an exit code of its own.
func WithCode(code int, err error) error { return codedError{err, code} }

type printedError struct{ error }

func (e printedError) Unwrap() error { return e.error }

// MarkPrinted returns err, marked as printed already.
func MarkPrinted(err error) error { return printedError{err} }

// IsPrinted reports whether an error or one of its causes has been printed already.
func IsPrinted(err error) bool {
	var printed printedError
	return errors.As(err, &printed)
}

// ErrAnswers reports problems of answers, which have been printed.
var ErrAnswers = MarkPrinted(WithCode(Answers, errors.New("the answers have errors")))

// Code returns the exit code of an error: its own, or else that of its kind or of the phase of the failed step.
func Code(err error) int {
	var coded codedError
	var held *state.LockedError
	var leased *lease.HeldError
	var lost *lease.LostError
	var damage *state.DamageError
	switch {
	case err == nil:
		return OK
	case errors.As(err, &coded):
		return coded.code
	case errors.As(err, &damage):
		return Answers
	case errors.As(err, &held), errors.As(err, &leased), errors.As(err, &lost), errors.Is(err, store.ErrInUse):
		return Locked
	case errors.Is(err, context.Canceled):
		return Interrupted
	}
	if code, ok := codeOfKind(fault.KindOf(err)); ok {
		return code
	}
	var step *provisioner.StepError
	if errors.As(err, &step) {
		return codeOfStep(step)
	}
	return Internal
}

func codeOfKind(kind fault.Kind) (int, bool) {
	switch kind {
	case fault.Denied:
		return Denied, true
	case fault.Quota:
		return Quota, true
	case fault.Waiting:
		return Human, true
	case fault.Cancelled:
		return Interrupted, true
	}
	return 0, false
}

func codeOfStep(failure *provisioner.StepError) int {
	if syn.IsSynStep(failure.Step.ID) {
		return Syn
	}
	phase := failure.Step.Phase
	var other *provisioner.PhaseError
	if errors.As(failure.Err, &other) {
		phase = other.Phase
	}
	switch phase {
	case install.Preflight:
		if fault.Is(failure.Err, fault.Invalid) {
			return Answers
		}
		return Checks
	case install.Infrastructure:
		return Infra
	case install.Bootstrap:
		return Bootstrap
	case install.ControlPlane:
		return ControlPlane
	case install.Nodes:
		return Nodes
	case install.Operators:
		return Operators
	case install.Syn:
		return Syn
	case destroy.Phase:
		return Teardown
	}
	return Internal
}
