package probe

import (
	"errors"

	"exoshift/wizard/reach"
)

type failure struct {
	at    *attempt
	class reach.Class
	err   error
}

func (f *failure) Error() string { return string(f.class) + ": " + f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func (a *attempt) fail(layer *reach.Layer, class reach.Class, err error) error {
	*layer = reach.LayerFail
	return &failure{at: a, class: class, err: err}
}

func getClass(err error) reach.Class {
	var f *failure
	if errors.As(err, &f) {
		return f.class
	}
	return ""
}
