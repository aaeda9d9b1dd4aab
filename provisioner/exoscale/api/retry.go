package api

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"exoshift/internal/fault"
)

// Attempts is how often a request is sent at most.
const Attempts = 5

const (
	firstPause = time.Second // doubles with each attempt
	maxPause   = 5 * time.Minute
)

// retry reports whether the failed attempt may be repeated, and after what pause. A create is repeated only if it cannot have
// reached the server, because a second one would create a second object; the caller, who searches for the object first, may retry
// at any time.
func retry(failed *requestError, attempt int) (time.Duration, bool) {
	if attempt >= Attempts || !failed.isTransient() {
		return 0, false
	}
	if !failed.isIdempotent() && !failed.isUnsent() {
		return 0, false
	}
	if failed.pause > 0 {
		return failed.pause, true
	}
	return firstPause << (attempt - 1), true
}

func (f *requestError) isTransient() bool {
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case f.operation != "":
		return false
	case errors.As(f.err, &name) && name.IsNotFound, errors.As(f.err, &certificate), fault.IsTooLarge(f.err):
		return false
	}
	return f.err != nil || f.status == http.StatusTooManyRequests || f.status >= http.StatusInternalServerError
}

// isIdempotent reports whether the request may be repeated although it may have been carried out. A path with a colon, e.g.
// /elastic-ip/{id}:attach, is a command.
func (f *requestError) isIdempotent() bool {
	switch f.method {
	case http.MethodGet, http.MethodDelete:
		return true
	case http.MethodPut:
		return !strings.Contains(f.path, ":")
	}
	return false
}

func (f *requestError) isUnsent() bool {
	var operation *net.OpError
	return errors.Is(f.err, syscall.ECONNREFUSED) || errors.As(f.err, &operation) && operation.Op == "dial"
}

// retryAfter parses the header Retry-After: seconds or a date.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(header); err == nil {
		return limitPause(time.Duration(min(seconds, int(maxPause/time.Second))) * time.Second)
	}
	if date, err := http.ParseTime(header); err == nil {
		return limitPause(date.Sub(now))
	}
	return 0
}

func limitPause(pause time.Duration) time.Duration { return min(max(pause, 0), maxPause) }
