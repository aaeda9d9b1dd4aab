package api

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
)

type always struct {
	status int
	kind   string
	body   []byte
}

func (a always) RoundTrip(request *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: a.status, Body: io.NopCloser(bytes.NewReader(a.body)), Request: request, Header: http.Header{"Content-Type": {a.kind}},
	}, nil
}

// FuzzAnswer checks that only a success of the API itself reaches the caller, whatever the API or a proxy responds.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"id": "b1", "state": "success"}`, `{"state": "failure", "reason": "conflict\u001b[2J", "message": "very-\u200bsecret-value"}`, `{"state": 1}`, `{"zones": [{"name": "ch-gva-2"}]}`, "<html>", "", "null",
	} {
		for _, status := range []int{http.StatusOK, http.StatusNoContent, http.StatusForbidden} {
			f.Add(status, "application/json", []byte(seed))
		}
	}
	f.Add(http.StatusOK, "text/html", []byte("<html>"))
	f.Fuzz(func(t *testing.T, status int, kind string, body []byte) {
		const secret = "very-secret-value"
		status = 200 + int(uint(status)%300) // others are retried
		if status == http.StatusTooManyRequests {
			status = http.StatusForbidden
		}
		for _, path := range []string{"/v2/operation/b1", "/v2/event"} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api-ch-gva-2.exoscale.com"+path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			through := &transport{inner: always{status, kind, append(bytes.Clone(body), secret...)}, redactor: redactor{secret}, outages: &outageTracker{}}
			answer, err := through.RoundTrip(request)
			var failed *requestError
			switch {
			case err != nil && (!errors.As(err, &failed) || strings.Contains(err.Error(), secret) || strings.ContainsFunc(err.Error(), func(r rune) bool { return !unicode.IsPrint(r) })):
				t.Fatalf("%q is told as %q", body, err)
			case err == nil && (status != http.StatusOK || !strings.Contains(kind, "json") || answer.Body.Close() != nil):
				t.Fatalf("%d of %q is a success", status, kind)
			}
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"", "0", "-1", "30", "9223372036854775807", "18446744074", "Mon, 04 May 2026 14:02:00 GMT", "Sat, 01 Jan 0000 00:00:00 GMT", "x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		pause := retryAfter(header, time.Date(2026, 5, 4, 14, 0, 0, 0, time.UTC))
		if pause < 0 || pause > maxPause {
			t.Fatalf("%q is a pause of %s", header, pause)
		}
		if seconds, err := strconv.Atoi(header); err == nil && seconds >= 0 && pause != min(time.Duration(min(seconds, 1000))*time.Second, maxPause) {
			t.Fatalf("%q is a pause of %s", header, pause)
		}
	})
}
