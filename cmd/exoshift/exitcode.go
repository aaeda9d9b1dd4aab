package main

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
)

const (
	// The exit codes are a stable interface, documented in docs/exit-codes.md.

	exitOK           = 0
	exitInternal     = 1
	exitUsage        = 2
	exitAnswers      = 3
	exitWarnings     = 4
	exitChecks       = 5
	exitDenied       = 6
	exitQuota        = 7
	exitInfra        = 10
	exitBootstrap    = 11
	exitControlPlane = 12
	exitNodes        = 13
	exitOperators    = 14
	exitTeardown     = 15
	exitLocked       = 16
	exitSyn          = 17
	exitHuman        = 20
	exitInterrupted  = 130
)

type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// answersError reports problems of answers, which have been printed.
type answersError struct{ error }

func (e answersError) Unwrap() error { return e.error }

// exitCode uses the kind of an error and, where that is not enough, the phase of the run.
func exitCode(err error) int {
	var usage usageError
	var answers answersError
	var held *state.LockedError
	var damage *state.DamageError
	var unsound damagedError
	var child childError
	var check checkError
	var reached reachError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &answers), errors.As(err, &damage), errors.As(err, &unsound):
		return exitAnswers
	case errors.As(err, &held), errors.Is(err, store.ErrInUse):
		return exitLocked
	case errors.As(err, &check):
		return exitChecks
	case errors.As(err, &reached):
		return reached.exitCode()
	case errors.As(err, &child):
		return child.code
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	if code, ok := exitCodeOfKind(fault.KindOf(err)); ok {
		return code
	}
	var step *provisioner.StepError
	if errors.As(err, &step) {
		return exitCodeOfStep(step)
	}
	return exitInternal
}

func exitCodeOfKind(kind fault.Kind) (int, bool) {
	switch kind {
	case fault.Denied:
		return exitDenied, true
	case fault.Quota:
		return exitQuota, true
	case fault.Waiting:
		return exitHuman, true
	case fault.Cancelled:
		return exitInterrupted, true
	}
	return 0, false
}

func exitCodeOfStep(failure *provisioner.StepError) int {
	if syn.IsSynStep(failure.Step.ID) {
		return exitSyn
	}
	switch failure.Step.Phase {
	case install.Preflight:
		if fault.Is(failure.Err, fault.Invalid) {
			return exitAnswers
		}
		return exitChecks
	case install.Infrastructure:
		return exitInfra
	case install.Bootstrap:
		return exitBootstrap
	case install.ControlPlane:
		return exitControlPlane
	case install.Nodes:
		return exitNodes
	case install.Operators:
		return exitOperators
	case install.Syn:
		return exitSyn
	case destroy.Phase:
		return exitTeardown
	}
	return exitInternal
}
