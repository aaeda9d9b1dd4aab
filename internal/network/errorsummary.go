package network

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"

	"exoshift/internal/fault"
)

// ErrorSummary is a short description of an error, and wraps it.
type ErrorSummary struct {
	Sentence string
	Cause    error
}

func (b ErrorSummary) Error() string { return b.Sentence }
func (b ErrorSummary) Unwrap() error { return b.Cause }

// Cut describes a connection that ended too early.
const Cut = "the connection was closed"

// DescribeError describes why a request got no answer.
func DescribeError(err error) ErrorSummary {
	var dns *net.DNSError
	var timeout net.Error
	var large fault.TooLargeError
	var slow TooSlowError
	switch {
	case errors.As(err, &large):
		return ErrorSummary{large.Error(), err}
	case errors.As(err, &slow):
		return ErrorSummary{slow.Error(), err}
	case errors.As(err, &dns) && dns.IsNotFound:
		return ErrorSummary{"the name " + dns.Name + " does not resolve", err}
	case errors.As(err, &dns):
		return ErrorSummary{"the name " + dns.Name + " could not be resolved", err}
	case errors.Is(err, syscall.ECONNREFUSED):
		return ErrorSummary{"connection refused", err}
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return ErrorSummary{"no route to the host", err}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return ErrorSummary{"no answer in time", err}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return ErrorSummary{Cut, err}
	}
	return ErrorSummary{findRootCause(err).Error(), err}
}

// findRootCause returns the innermost error, which has the shortest text.
func findRootCause(err error) error {
	for cause := errors.Unwrap(err); cause != nil; cause = errors.Unwrap(err) {
		err = cause
	}
	return err
}
