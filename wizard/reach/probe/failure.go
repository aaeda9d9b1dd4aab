package probe

import (
	"errors"

	"exoshift/wizard/reach"
)

// failure is why a service cannot be used, and on which attempt to reach a host that was seen.
type failure struct {
	at    *attempt
	class reach.Class
	err   error
}

func (f *failure) Error() string { return string(f.class) + ": " + f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// fail notes that a layer failed and returns the failure.
func (a *attempt) fail(layer *reach.Layer, class reach.Class, err error) error {
	*layer = reach.LayerFail
	return &failure{at: a, class: class, err: err}
}

// getClass returns the class of a failure, "" if err is none.
func getClass(err error) reach.Class {
	var f *failure
	if errors.As(err, &f) {
		return f.class
	}
	return ""
}
