package connection

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

// MapConnectError returns the class of a connection that was not made.
func MapConnectError(err error) reach.Class {
	switch {
	case IsTimeout(err):
		return reach.TCPTimeout
	case errors.Is(err, syscall.ECONNREFUSED):
		return reach.Refused
	case isCut(err):
		return reach.Reset
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM), errors.Is(err, syscall.EHOSTUNREACH):
		return reach.Prohibited
	}
	return reach.NoRoute // no route, no address of that family
}

// mapProxyError returns the class of a proxy that gave no status.
func mapProxyError(err error) reach.Class {
	var lookup *net.DNSError
	var broken *net.OpError
	switch {
	case errors.As(err, &lookup):
		return reach.ProxyUnknown
	case IsTimeout(err), errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return reach.ProxySilent
	case isCut(err):
		return reach.ProxyRefused // as the SOCKS server of ssh does where a target is closed
	case errors.Is(err, syscall.ECONNREFUSED), !errors.As(err, &broken):
		return reach.ProxyPort // nothing, or no proxy, listens there
	}
	return reach.ProxyRefused
}

// MapProtocolError returns the class of an answer that ended early; garbage is the class of bytes that do not parse.
func MapProtocolError(err error, garbage reach.Class) reach.Class {
	switch {
	case IsTimeout(err):
		return reach.HTTPTimeout
	case isCut(err):
		return reach.Reset
	}
	return garbage
}

// Some servers end TLS after the handshake if a client certificate is missing: TLS 1.3 permits the alert only then.
func isAlert(err error) bool {
	var alert *net.OpError
	return errors.As(err, &alert) && alert.Op == "remote error"
}

func mapLookupError(err error) reach.Class {
	var failure *net.DNSError
	switch {
	case errors.As(err, &failure) && failure.IsNotFound:
		return reach.NXDomain
	case errors.As(err, &failure) && failure.IsTimeout, IsTimeout(err):
		return reach.DNSTimeout
	case hasErrno(failure, syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.ENETDOWN):
		return reach.NoRoute // no name server was reached at all
	case hasErrno(failure, syscall.ECONNREFUSED):
		return reach.DNSTimeout // nothing listens there
	}
	return reach.ServFail
}

// Package net keeps only the text of the errno.
func hasErrno(failure *net.DNSError, reasons ...syscall.Errno) bool {
	return failure != nil && slices.ContainsFunc(reasons, func(reason syscall.Errno) bool {
		return strings.HasSuffix(failure.Err, ": "+reason.Error())
	})
}

// IsTimeout reports whether the time was up. A stopped run looks like a timeout here.
func IsTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) ||
		errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, syscall.ETIMEDOUT) ||
		errors.As(err, &timeout) && timeout.Timeout()
}

// IsNetwork reports whether err is about the connection, not about an answer.
func IsNetwork(err error) bool {
	var broken *net.OpError
	return errors.As(err, &broken) || IsTimeout(err) || isCut(err)
}

func isCut(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNABORTED)
}
