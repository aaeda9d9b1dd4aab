// Package provisioner is the engine: an ordered plan of steps, the run that executes it, the events it emits, and the
// board that folds them. It is independent of clouds and clusters.
package provisioner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Step is one thing to do or to wait for. It must be safe to repeat: it searches for an object before it creates it.
type Step struct {
	ID    string        // stable, kebab-case: names the step in events and tests
	Title string        // what the operator reads, in the imperative
	Phase string        // the part of the installation it belongs to; decides the exit code of its failure
	Needs []string      // IDs of earlier steps
	Usual time.Duration // how long it usually takes; 0 if unknown
	Do    StepFunc
}

// StepFunc is what a step does.
type StepFunc = func(context.Context, Report) error

// Plan is an ordered list of steps; a step may need only steps above it. So the list is the order on the screen, a
// valid order of execution, and free of cycles.
type Plan []Step

// Validate reports every step whose ID is empty or taken, or that needs something which is not above it.
func (p Plan) Validate() error {
	var faults []error
	var above []string
	for _, step := range p {
		if step.ID == "" || slices.Contains(above, step.ID) {
			faults = append(faults, fmt.Errorf("step %q: the ID is empty or taken", step.ID))
		}
		for _, need := range step.Needs {
			if !slices.Contains(above, need) {
				faults = append(faults, fmt.Errorf("step %q needs %q, which is not above it", step.ID, need))
			}
		}
		above = append(above, step.ID)
	}
	return errors.Join(faults...)
}

// StepError is the failure of one step.
type StepError struct {
	Step Step
	Err  error
}

func (e *StepError) Error() string { return e.Step.ID + ": " + e.Err.Error() }

func (e *StepError) Unwrap() error { return e.Err }

// PhaseError is a failure of a phase, whatever the phase of the step that found it out.
type PhaseError struct {
	Phase string
	Err   error
}

func (e *PhaseError) Error() string { return e.Err.Error() }

func (e *PhaseError) Unwrap() error { return e.Err }

// Skip ends a step without doing it; steps that need it run nevertheless. reason is shown.
func Skip(reason string) error { return skipped{reason} }

// IsSkip reports whether err is the end of a step that was not done.
func IsSkip(err error) bool {
	var skip skipped
	return errors.As(err, &skip)
}

// NotReached ends a step that found out, once it ran, that another step did not succeed; steps that need it are not reached
// either.
func NotReached(step string) error { return notReached{step} }

type notReached struct{ step string }

func (n notReached) Error() string {
	return fmt.Sprintf("not reached, because %s did not succeed", n.step)
}

type skipped struct{ reason string }

func (s skipped) Error() string { return s.reason }
