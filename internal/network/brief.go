package network

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"

	"exoshift/internal/fault"
)

// Brief is an error that says one short sentence and keeps its cause.
type Brief struct {
	Sentence string
	Cause    error
}

func (b Brief) Error() string { return b.Sentence }
func (b Brief) Unwrap() error { return b.Cause }

// Cut is the sentence about a connection that ended too early.
const Cut = "the connection was cut"

// Explain says why nobody answered a request.
func Explain(err error) Brief {
	var dns *net.DNSError
	var timeout net.Error
	var large fault.TooLargeError
	var slow TooSlowError
	switch {
	case errors.As(err, &large):
		return Brief{large.Error(), err}
	case errors.As(err, &slow):
		return Brief{slow.Error(), err}
	case errors.As(err, &dns) && dns.IsNotFound:
		return Brief{"the name " + dns.Name + " does not resolve", err}
	case errors.As(err, &dns):
		return Brief{"the name " + dns.Name + " could not be looked up", err}
	case errors.Is(err, syscall.ECONNREFUSED):
		return Brief{"connection refused", err}
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return Brief{"no route to the host", err}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return Brief{"no answer in time", err}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return Brief{Cut, err}
	}
	return Brief{innermost(err).Error(), err}
}

// innermost returns the first cause of an error, whose text is the shortest.
func innermost(err error) error {
	for cause := errors.Unwrap(err); cause != nil; cause = errors.Unwrap(err) {
		err = cause
	}
	return err
}
