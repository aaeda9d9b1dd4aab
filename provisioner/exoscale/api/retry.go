package api

import (
	"context"
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

// Attempts is how often a request is sent at most, unless the client is patient; see OnOutage.
const Attempts = 5

const (
	firstPause   = time.Second // doubles with each attempt
	longestPause = 30 * time.Second
	maxPause     = 5 * time.Minute // that a server may ask for
)

// isRepeatable reports whether the failed attempt may be repeated at all. A change that may have been carried out is repeated
// only if that makes no difference; the caller, who searches for the object first, may repeat it at any time.
func (f *requestError) isRepeatable() bool {
	return f.isTransient() && (f.rejected || f.isIdempotent() || f.isUnsent())
}

// isAmbiguous reports whether the change may or may not have been carried out.
func (f *requestError) isAmbiguous() bool { return f.isTransient() && !f.isRepeatable() }

// choosePause returns the pause after a failed attempt: the one that the server asks for, or one that grows.
func (f *requestError) choosePause(attempt int) time.Duration {
	if f.pause > 0 {
		return f.pause
	}
	return min(firstPause<<min(attempt-1, 10), longestPause)
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

// Pauses before looking for what an ambiguous answer may have left behind: what was created need not be in a list at once.
const (
	firstSearch = 3 * time.Second // doubles with each search
	lastSearch  = 24 * time.Second
)

// Repeat calls ensure, which looks for what it changes before it changes it, and calls it again as long as it ends in an
// ambiguous answer, a change that may or may not have been carried out, or meets an object that is busy.
func Repeat(ctx context.Context, c *Client, op string, ensure func(context.Context) error) error {
	for pause := firstSearch; ; pause *= 2 {
		err := ensure(ctx)
		if !isAmbiguousFailure(err) && !IsBusy(err) || pause > lastSearch || c.Sleep(ctx, op, pause) != nil {
			return err
		}
	}
}

// isAmbiguousFailure reports whether a failed change may or may not have been carried out.
func isAmbiguousFailure(err error) bool {
	var failed *requestError
	return errors.As(err, &failed) && failed.isAmbiguous()
}
