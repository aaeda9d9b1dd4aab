package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/text"
)

const (
	requestTimeout = 90 * time.Second // wall-clock time of one attempt, with its response
	maxAnswer      = 16 << 20         // bytes; the longest lists are far below
)

// transport is the HTTP transport of egoscale. It turns every response but a plain success into a *requestError, which keeps the
// status and the server's message: egoscale drops both, drops the reason of failed operations, and panics on a success without
// JSON.
type transport struct {
	inner    http.RoundTripper
	clock    network.Clock
	redactor redactor
	outages  *outageTracker
}

func newTransport(inner http.RoundTripper, clock network.Clock, secret string) *transport {
	limits := network.Limits{Bytes: maxAnswer, Time: requestTimeout}
	return &transport{inner: limits.Wrap(inner), clock: clock, redactor: redactor{secret}, outages: &outageTracker{}}
}

// RoundTrip repeats the attempts that may be repeated.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	body := req.Body
	began := t.clock.Now()
	for attempt := 1; ; attempt++ {
		answer, failed := t.sendAttempt(req, body)
		if failed == nil {
			t.outages.recordAnswer(t.clock.Now())
			return answer, nil
		}
		if t.recordOutage(req, failed); !failed.isRepeatable() || !t.mayRepeat(attempt, began) {
			return nil, failed
		}
		if t.clock.Sleep(req.Context(), failed.choosePause(attempt)) != nil {
			return nil, failed
		}
		var err error
		if body, err = resetBody(req); err != nil {
			return nil, failed
		}
	}
}

func (t *transport) mayRepeat(attempt int, began time.Time) bool {
	return attempt < Attempts || t.outages.isPatient() && t.clock.Now().Sub(began) < AwayLimit
}

// recordOutage counts no request that its caller has ended, and no refusal: a server that refuses is there.
func (t *transport) recordOutage(req *http.Request, failed *requestError) {
	switch now := t.clock.Now(); {
	case req.Context().Err() != nil:
	case failed.err == nil && failed.status < http.StatusInternalServerError:
		t.outages.recordAnswer(now)
	case failed.isTransient():
		t.outages.recordFailure(now, failed)
	}
}

func resetBody(req *http.Request) (io.ReadCloser, error) {
	switch {
	case req.Body == nil:
		return nil, nil
	case req.GetBody == nil:
		return nil, errors.New("the body cannot be sent again")
	}
	return req.GetBody()
}

func (t *transport) sendAttempt(req *http.Request, body io.ReadCloser) (*http.Response, *requestError) {
	ctx, cancel := context.WithTimeout(req.Context(), requestTimeout)
	defer cancel()
	attempt := req.Clone(ctx)
	attempt.Body = body
	failed := &requestError{method: req.Method, path: req.URL.Path}
	answer, err := t.inner.RoundTrip(attempt)
	if err != nil {
		failed.err, failed.expired = err, errors.Is(req.Context().Err(), context.DeadlineExceeded)
		return nil, failed
	}
	content, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err != nil {
		failed.err = err
		return nil, failed
	}
	answer.Body = io.NopCloser(bytes.NewReader(content))
	if t.checkAnswer(failed, answer, content) {
		return answer, nil
	}
	return nil, failed
}

func (t *transport) checkAnswer(failed *requestError, answer *http.Response, content []byte) bool {
	failed.status = answer.StatusCode
	switch {
	case answer.StatusCode >= 400:
		failed.message = t.redactor.redact(parseMessage(content))
		failed.pause = retryAfter(answer.Header.Get("Retry-After"), t.clock.Now())
		failed.rejected = answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode == http.StatusServiceUnavailable &&
			(failed.pause > 0 || isJSON(answer)) // without either, it may be that of a gateway whose server was at work
		return false
	case answer.StatusCode != http.StatusOK || !isJSON(answer):
		failed.message = "not a response of the API; does a proxy answer instead?"
		return false
	case strings.Contains(failed.path, "/operation/"):
		return t.checkOperation(failed, content)
	}
	return true
}

func isJSON(answer *http.Response) bool {
	return strings.Contains(answer.Header.Get("Content-Type"), "json")
}

func (t *transport) checkOperation(failed *requestError, content []byte) bool {
	var operation struct{ State, Reason, Message string }
	if err := json.Unmarshal(content, &operation); err != nil {
		failed.message = "invalid operation: " + t.redactor.redact(err.Error())
		return false
	}
	if operation.State != "failure" && operation.State != "timeout" {
		return true
	}
	failed.operation = operation.State
	failed.reason = text.Sanitize(operation.Reason, text.WithLimit(maxReason))
	failed.message = t.redactor.redact(operation.Message)
	return false
}
