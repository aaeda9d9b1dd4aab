package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"exoshift/internal/fault"
)

// maxHeader is in bytes.
const maxHeader = 256 << 10

// Limits restricts the size and duration of one response. A broken or wrong server may send without end.
type Limits struct {
	Bytes int64         // of the decompressed body
	Time  time.Duration // of the wall clock, from the header to the end of the body; 0: limited by the caller
}

// TooSlowError reports a body that was not read in time.
type TooSlowError struct{ Limit time.Duration }

func (e TooSlowError) Error() string {
	return fmt.Sprintf("the answer was not complete after %s", e.Limit)
}

// Timeout implements net.Error.
func (TooSlowError) Timeout() bool { return true }

// Temporary implements net.Error.
func (TooSlowError) Temporary() bool { return true }

// KeepRedirect is for http.Client.CheckRedirect: redirects are returned, not followed. APIs do not redirect, and following one
// could send a token to another host.
func KeepRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Wrap returns a transport that limits the responses of another one. A body beyond its limits ends in a fault.TooLargeError or
// a TooSlowError.
func (l Limits) Wrap(inner http.RoundTripper) http.RoundTripper { return limited{l, inner} }

func tooLarge(limit int64) error { return fault.TooLargeError{What: "the answer", Limit: limit} }

type limited struct {
	Limits
	inner http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (l limited) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(request.Context())
	answer, err := l.inner.RoundTrip(request.WithContext(ctx))
	if err != nil {
		cancel(nil)
		return nil, err
	}
	if request.Method != http.MethodHead && answer.ContentLength > l.Bytes {
		cancel(nil)
		_ = answer.Body.Close()
		return nil, tooLarge(l.Bytes)
	}
	body := &limitedBody{body: answer.Body, limits: l.Limits, left: l.Bytes, cancel: cancel, cause: func() error { return context.Cause(ctx) }}
	if l.Time > 0 {
		body.timer = time.AfterFunc(l.Time, func() { cancel(TooSlowError{l.Time}) })
	}
	answer.Body = body
	return answer, nil
}

// CloseIdleConnections is called by http.Client.CloseIdleConnections.
func (l limited) CloseIdleConnections() {
	if closer, ok := l.inner.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

type limitedBody struct {
	body   io.ReadCloser
	limits Limits
	left   int64
	timer  *time.Timer             // may be nil
	cancel context.CancelCauseFunc // of the request
	cause  func() error            // why the request was cancelled
}

func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, tooLarge(b.limits.Bytes)
	}
	n, err := b.body.Read(p[:min(int64(len(p)), b.left+1)]) // one byte more than is left detects an excess
	if b.left -= int64(n); b.left < 0 {
		return n - 1, tooLarge(b.limits.Bytes)
	}
	// A connection that is closed for being slow may look like the end of the body.
	var slow TooSlowError
	if err != nil && errors.As(b.cause(), &slow) {
		return n, slow
	}
	return n, err
}

func (b *limitedBody) Close() error {
	if b.timer != nil {
		b.timer.Stop()
	}
	err := b.body.Close()
	b.cancel(nil)
	return err
}
