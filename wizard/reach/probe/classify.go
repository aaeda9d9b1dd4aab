package probe

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"

	"exoshift/wizard/reach"
)

// mapConnectError returns why there is no connection.
func mapConnectError(err error) reach.Class {
	switch {
	case isTimeout(err):
		return reach.TCPTimeout
	case errors.Is(err, syscall.ECONNREFUSED):
		return reach.Refused
	case isCut(err):
		return reach.Reset
	}
	return reach.NoRoute // unreachable, prohibited by a rule, no address of that family
}

// mapProtocolError returns why what was spoken on a connection came to no end; garbage is what bytes that make no sense are.
func mapProtocolError(err error, garbage reach.Class) reach.Class {
	switch {
	case isTimeout(err):
		return reach.HTTPTimeout
	case isCut(err):
		return reach.Reset
	}
	return garbage
}

// isAlert tells whether the other side ended TLS after the handshake, as servers do that miss a certificate of the client:
// in TLS 1.3 they say so only then.
func isAlert(err error) bool {
	var alert *net.OpError
	return errors.As(err, &alert) && alert.Op == "remote error"
}

// mapLookupError returns why a name does not resolve.
func mapLookupError(err error) reach.Class {
	var failure *net.DNSError
	switch {
	case errors.As(err, &failure) && failure.IsNotFound:
		return reach.NXDomain
	case errors.As(err, &failure) && failure.IsTimeout, isTimeout(err):
		return reach.DNSTimeout
	case hasErrno(failure, syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.ENETDOWN):
		return reach.NoRoute // no name server was asked at all
	case hasErrno(failure, syscall.ECONNREFUSED):
		return reach.DNSTimeout // nobody listens there
	}
	return reach.ServFail
}

// hasErrno tells whether a lookup ended for one of these reasons. Package net keeps but their words.
func hasErrno(failure *net.DNSError, reasons ...syscall.Errno) bool {
	return failure != nil && slices.ContainsFunc(reasons, func(reason syscall.Errno) bool {
		return strings.HasSuffix(failure.Err, ": "+reason.Error())
	})
}

// isTimeout tells whether nothing came in time. That the run was stopped looks the same from here.
func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) ||
		errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, syscall.ETIMEDOUT) ||
		errors.As(err, &timeout) && timeout.Timeout()
}

// isCut tells whether the other side ended a connection too early.
func isCut(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNABORTED)
}
